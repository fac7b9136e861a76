#include "files/pipeline/plaintext_mac.hpp"

#include <algorithm>

#include "engine/bytes/byte_order.hpp"
#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/registry.hpp"
#include "engine/host/host.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/text/hex.hpp"
#include "files/libcrypto/cmac.hpp"

namespace phalanx {
namespace {

constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t gcm_key_bytes = 32;
static_assert(PlaintextMacKey::all_key_bytes == gcm_key_bytes + cmac_key_bytes);

SecretBytes random_key(std::size_t size) {
  SecretBytes key(size);
  fill_random(key);
  return key;
}

// On the CPU by one thread, whatever crypts: it takes a tenth of the time that the slowest of our ciphers does.
std::unique_ptr<KeyedAead> gcm_of(Bytes key) {
  return find_engine("cpu").set_aead_key(parse_cipher_name("aes-256-gcm"), key, 1);
}

}  // namespace

PlaintextMacKey::PlaintextMacKey() : PlaintextMacKey(random_key(all_key_bytes)) {}

PlaintextMacKey::PlaintextMacKey(Bytes key) : gcm_(gcm_of(key.first(gcm_key_bytes))), tag_key_(key.last(cmac_key_bytes)) {}

SecretBytes PlaintextMacKey::bytes() const {
  SecretBytes key(all_key_bytes);
  std::ranges::copy(gcm_->key(), key.begin());
  std::ranges::copy(tag_key_, key.begin() + gcm_key_bytes);
  return key;
}

// GMAC's nonces come again, for other files and readings; its tags are seen by nobody, and go through CMAC.
PlaintextMacKey::Tag PlaintextMacKey::tag_of(std::uint64_t leaf, Bytes part) const {
  const std::array<std::uint8_t, nonce_bytes> nonce{};
  Tag tag{};
  AeadMessage message;
  message.nonce = nonce.data();
  message.nonce_bytes = nonce.size();
  message.associated_data = part.data();
  message.associated_bytes = part.size();
  message.tag = tag.data();
  message.tag_bytes = tag.size();
  gcm_->crypt(Direction::encrypt, {&message, 1});
  const Tag whole = CmacKey(tag_key_).compute(leaf, tag);
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
  merge(sum, num_bytes);
}

void PlaintextMac::merge(const PlaintextMacKey::Tag& sum, std::uint64_t num_bytes) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] ^= sum[i];
  num_bytes_ += num_bytes;
}

std::string PlaintextMac::finish() const {
  std::uint8_t length[8];
  store_u64(length, num_bytes_);
  return encode_hex(sum_) + encode_hex(length);
}

}  // namespace phalanx
