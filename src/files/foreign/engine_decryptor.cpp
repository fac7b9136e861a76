#include "files/foreign/engine_decryptor.hpp"

#include <algorithm>
#include <array>

#include "engine/engines/composed_gcm.hpp"
#include "files/foreign/segment_decryptor.hpp"

namespace phalanx {
namespace {

struct CipherOwner {
  RawCipher raw;
};

// This is a MessageCipher that owns its cipher.
class EngineDecryptor : private CipherOwner, public MessageCipher {
 public:
  EngineDecryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job, const RunOptions& options)
      : CipherOwner{RawCipher(cipher.engine, key, job.sectors.sector_bytes != 0, options)},
        MessageCipher(raw, job),
        most_bytes_(cipher.way == ForeignWay::no_tag ? ComposedGcm::most_text_bytes : ~std::uint64_t{0}) {}

  void check_length(std::uint64_t message_bytes) const override {
    if (message_bytes > most_bytes_)
      throw Error(ErrorCode::format, "the ciphertext is longer than any of GCM, which has 64 GiB at most");
    MessageCipher::check_length(message_bytes);
  }

 private:
  std::uint64_t most_bytes_;
};

// SP 800-38D section 7.1: J0 is the iv and the number 1, and the first block of the message has the counter after that.
CryptJob with_gcm_counter(CryptJob job) {
  constexpr std::array<std::uint8_t, 4> first_counter = {0, 0, 0, 2};
  std::ranges::copy(first_counter, job.iv.bytes.begin() + gcm_nonce_bytes);
  job.iv.size = job.iv.bytes.size();
  return job;
}

}  // namespace

std::unique_ptr<MessageDecryptor> make_engine_decryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job,
                                                        const RunOptions& options) {
  if (cipher.way == ForeignWay::segments) return std::make_unique<SegmentDecryptor>(cipher, key, job.iv, options);
  const CryptJob own = cipher.way == ForeignWay::no_tag ? with_gcm_counter(job) : job;
  return std::make_unique<EngineDecryptor>(cipher, key, own, options);
}

}  // namespace phalanx
