#include "files/foreign/search/openpgp_old_message.hpp"

#include "files/foreign/openpgp/openpgp_content.hpp"

namespace phalanx {
namespace {

// The content comes decrypted from its source.
class DecryptedAlready : public MessageDecryptor {
 public:
  explicit DecryptedAlready(std::string engine) : engine_(std::move(engine)) {}
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& /*piece*/) override {}
  [[nodiscard]] const std::string& engine() const override { return engine_; }
  void check_length(std::uint64_t /*message_bytes*/) const override {}

 private:
  std::string engine_;
};

class OpenPgpOldMessage : public OldMessage {
 public:
  OpenPgpOldMessage(const OpenPgpKeys& keys, Input& input, const RunOptions& options)
      : message_(input), decryption_(open(keys, options)) {}

  [[nodiscard]] std::unique_ptr<PieceReader> reader(std::size_t piece_bytes, InputWatch* /*watch*/) override {
    content_ = std::make_unique<OpenPgpContent>(message_);
    return std::make_unique<StreamPieces>(*content_, piece_bytes, 0);
  }
  [[nodiscard]] MessageDecryptor& decryption() override { return decryption_; }
  [[nodiscard]] const MessageDecryptor& decryption() const override { return decryption_; }
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const override { return std::nullopt; }
  [[nodiscard]] const std::string& digest() const override { return no_digest_; }
  [[nodiscard]] const ChainValue& iv() const override { return no_iv_; }

  [[nodiscard]] const std::string& cipher() const { return message_.cipher(); }

 private:
  const std::string& open(const OpenPgpKeys& keys, const RunOptions& options) {
    message_.open(keys, options);
    return message_.engine();
  }

  OpenPgpMessage message_;
  DecryptedAlready decryption_;
  std::unique_ptr<OpenPgpContent> content_;
  ChainValue no_iv_;
  std::string no_digest_;
};

}  // namespace

std::unique_ptr<OldMessage> open_openpgp(const OpenPgpKeys& keys, Input& input, MatchedCandidate& choice) {
  auto message = std::make_unique<OpenPgpOldMessage>(keys, input, choice.plan.options);
  choice.plan.cipher.name = message->cipher();
  choice.plan.job.mode = Mode::cfb;  // without padding, as all that takes none
  choice.plan.job.padding = Padding::none;
  choice.with.found = "OpenPGP, " + message->cipher();
  return message;
}

}  // namespace phalanx
