#include "files/foreign/aead/aead_in_parts.hpp"

#include <cstring>

#include "engine/engines/registry.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/xaes.hpp"

namespace phalanx {
namespace {

constexpr std::size_t half_nonce_bytes = xaes_nonce_bytes / 2;

// For XAES-256-GCM this sets the message's own key, in AES-256-GCM.
std::unique_ptr<KeyedAead> set_message_key(const std::string& name, const Engine& engine, Bytes key, Bytes nonce,
                                           int num_threads) {
  if (is_xaes(name)) return set_xaes_message_key(engine, key, nonce, num_threads);
  return engine.set_aead_key(parse_cipher_name(name), key, num_threads);
}

Bytes nonce_in_gcm(const std::string& name, Bytes nonce) { return is_xaes(name) ? nonce.last(half_nonce_bytes) : nonce; }

}  // namespace

AeadInParts::AeadInParts(const std::string& name, Bytes key, Bytes nonce, Bytes associated_data,
                         const EngineOptions& options)
    : name_(name), associated_bytes_(associated_data.size()) {
  check_options(options);
  check_key(cipher_facts(name), key);
  if (nonce.empty()) fail_usage("the nonce of " + name + " is empty");
  const Engine& engine = find_engine(options.engine);
  engine_ = engine.info().name;
  aead_ = set_message_key(name, engine, key, nonce, options.num_threads);
  gcm_ = aead_->in_parts();
  if (gcm_ == nullptr) fail_usage(name + " takes no messages in parts");
  const Bytes own_nonce = nonce_in_gcm(name, nonce);
  nonce_bytes_ = own_nonce.size();
  gcm_->write_first_counter_of(own_nonce, first_counter_.bytes);
  gcm_->hash_padded(associated_hash_.bytes, associated_data);
}

void AeadInParts::crypt(Direction direction, std::uint64_t offset, MutableBytes text, std::uint8_t* hash) const {
  std::memset(hash, 0, 16);
  const GcmPart part{.first_counter = first_counter_.bytes,
                     .nonce_bytes = nonce_bytes_,
                     .offset = offset,
                     .in = text.data(),
                     .out = text.data(),
                     .num_bytes = text.size()};
  gcm_->crypt_part(direction, part, hash);
}

void AeadInParts::hash(Bytes ciphertext, std::uint8_t* hash) const {
  std::memset(hash, 0, 16);
  gcm_->hash_padded(hash, ciphertext);
}

AeadTag::AeadTag(const AeadInParts& message) : message_(message) {
  std::memcpy(hash_.bytes, message.associated_hash_.bytes, 16);
}

void AeadTag::add(const std::uint8_t* part_hash, std::uint64_t num_bytes) {
  message_.gcm_->join_hashes(hash_.bytes, part_hash, (num_bytes + 15) / 16);
  text_bytes_ += num_bytes;
}

void AeadTag::write(std::uint8_t* tag) const {
  message_.gcm_->write_tag(message_.first_counter_.bytes, message_.associated_bytes_, text_bytes_, hash_.bytes, tag);
}

}  // namespace phalanx
