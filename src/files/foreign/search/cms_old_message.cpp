#include "files/foreign/search/cms_old_message.hpp"

#include <algorithm>

#include "files/foreign/cms/cms_message.hpp"

namespace phalanx {
namespace {

class CmsOldMessage : public OldMessage {
 public:
  CmsOldMessage(const CmsKeys& keys, Input& input, const RunOptions& options) : message_(input) {
    Progress nobody;  // the first reading of GCM is counted by no caller
    message_.open(keys, options, nobody, default_piece_bytes);
    const ContentCipher& content = message_.front().content;
    if (content.is_gcm) return;
    iv_.size = content.iv.size();
    std::ranges::copy(content.iv, iv_.bytes.begin());
  }

  // The pieces have the size that they were opened with, which in GCM both readings have.
  [[nodiscard]] std::unique_ptr<PieceReader> reader(std::size_t /*piece_bytes*/, InputWatch* /*watch*/) override {
    return message_.reader();
  }
  [[nodiscard]] MessageDecryptor& decryption() override { return message_.decryption(); }
  [[nodiscard]] const MessageDecryptor& decryption() const override { return message_.decryption(); }
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const override { return message_.content_bytes(); }
  [[nodiscard]] const std::string& digest() const override { return no_digest_; }
  [[nodiscard]] const ChainValue& iv() const override { return iv_; }

  [[nodiscard]] const CmsFront& front() const { return message_.front(); }

 private:
  CmsMessage message_;
  ChainValue iv_;
  std::string no_digest_;
};

}  // namespace

std::unique_ptr<OldMessage> open_cms(const CmsKeys& keys, Input& input, MatchedCandidate& choice) {
  auto message = std::make_unique<CmsOldMessage>(keys, input, choice.plan.options);
  const ContentCipher& content = message->front().content;
  choice.plan.cipher = content.cipher;
  choice.plan.cipher.name = content.name;
  choice.plan.job.mode = content.is_gcm ? Mode::gcm : Mode::cbc;
  choice.plan.job.padding = content.is_gcm ? Padding::none : Padding::pkcs7;
  choice.plan.job.iv = message->iv();
  choice.with.found = "CMS, " + content.name;
  return message;
}

}  // namespace phalanx
