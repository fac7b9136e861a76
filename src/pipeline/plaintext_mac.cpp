#include "pipeline/plaintext_mac.hpp"

#include <algorithm>

#include "bytes/byte_order.hpp"
#include "libcrypto/random_bytes.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

constexpr std::size_t nonce_bytes = 12;
static_assert(PlaintextMacKey::all_key_bytes == 32 + cmac_key_bytes);

SecretBytes random_key(std::size_t size) {
  SecretBytes key(size);
  fill_random(key);
  return key;
}

// On the CPU by one thread, whatever crypts: it takes a tenth of the time that the slowest of our ciphers does.
Aead aead_of(Bytes key) { return Aead("aes-256-gcm", key, {.engine = "cpu", .num_threads = 1}); }

}  // namespace

PlaintextMacKey::PlaintextMacKey() : PlaintextMacKey(random_key(all_key_bytes)) {}

PlaintextMacKey::PlaintextMacKey(Bytes key)
    : key_(key), aead_(aead_of(key.first(all_key_bytes - cmac_key_bytes))), tag_key_(key.last(cmac_key_bytes)) {}

// GMAC's nonces come again, for other files and readings; its tags are seen by nobody, and go through CMAC.
PlaintextMacKey::Tag PlaintextMacKey::tag_of(std::uint64_t leaf, Bytes part) const {
  const std::array<std::uint8_t, nonce_bytes> nonce{};
  Tag tag{};
  aead_.seal(nonce, part, {}, {}, tag);
  const Tag whole = tag_key_.copy().compute(leaf, tag);
  wipe_memory(tag.data(), tag.size());
  return whole;
}

void PlaintextMac::add(std::uint64_t offset, Bytes part) {
  PlaintextMacKey::Tag sum{};
  const std::uint64_t num_bytes = part.size();
  for (std::uint64_t leaf = offset / leaf_bytes; !part.empty(); ++leaf) {
    const std::size_t size = std::min(part.size(), leaf_bytes);
    const PlaintextMacKey::Tag tag = key_.tag_of(leaf, part.first(size));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= tag[i];
    part = part.subspan(size);
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < sum.size(); ++i) sum_[i] ^= sum[i];
  num_bytes_ += num_bytes;
}

void PlaintextMac::encode_result(JobEncoder& result) const {
  result.put(Bytes(sum_));
  result.put(num_bytes_);
}

void PlaintextMac::merge_result(JobDecoder& result) {
  const Bytes sum = result.bytes_of(sum_.size());
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] ^= sum[i];
  num_bytes_ += result.number();
}

bool PlaintextMacStage::encode(JobEncoder& job) const {
  job.put(JobPart::plaintext_mac);
  job.put(mac_.key().bytes());
  return true;
}

std::string PlaintextMac::finish() const {
  std::uint8_t length[8];
  store_u64(length, num_bytes_);
  return encode_hex(sum_) + encode_hex(length);
}

}  // namespace phalanx
