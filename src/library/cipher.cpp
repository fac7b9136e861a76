// phalanx::Cipher: construction, and its functions, most of which only choose a direction.
#include <phalanx/phalanx.hpp>

#include "engines/registry.hpp"
#include "library/keyed_mode.hpp"

namespace phalanx {

KeyedMode::KeyedMode(std::string_view cipher_name, Bytes key, const Options& options)
    : named(parse_cipher_name(cipher_name)), name(full_name(named)) {
  check_key(key);
  check_options(options);
  const Engine& engine = find_engine(options.engine);
  const CipherSpec& cipher = *named.cipher;
  engine_name = engine.info().name;
  if (mode() == Mode::gcm) {
    gcm = engine.set_gcm_key(cipher, key, options.num_threads);
    return;
  }
  data_key = engine.set_key(cipher, key.first(cipher.key_bytes), options.num_threads);
  if (mode() == Mode::xts) tweak_key = engine.set_key(cipher, key.subspan(cipher.key_bytes), options.num_threads);
}

Cipher::Cipher(std::string_view name, Bytes key, const Options& options)
    : state_(std::make_unique<const State>(name, key, options)) {}

Cipher::~Cipher() = default;
Cipher::Cipher(Cipher&&) noexcept = default;
Cipher& Cipher::operator=(Cipher&&) noexcept = default;

const std::string& Cipher::name() const { return state_->name; }
const std::string& Cipher::engine() const { return state_->engine_name; }
std::size_t Cipher::key_bytes() const { return phalanx::key_bytes(state_->named); }
std::size_t Cipher::block_bytes() const { return state_->block_bytes(); }
std::size_t Cipher::iv_bytes() const { return state_->iv_bytes(); }

ChainValue Cipher::encrypt(Bytes iv, Bytes in, MutableBytes out) const {
  return state_->crypt_message(Direction::encrypt, iv, in, out);
}
ChainValue Cipher::decrypt(Bytes iv, Bytes in, MutableBytes out) const {
  return state_->crypt_message(Direction::decrypt, iv, in, out);
}

void Cipher::encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  state_->crypt_part(Direction::encrypt, iv, offset, in, out);
}
void Cipher::decrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  state_->crypt_part(Direction::decrypt, iv, offset, in, out);
}
void Cipher::encrypt_on_device(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                               void* stream) const {
  state_->crypt_device_part(Direction::encrypt, iv, offset, in, out, num_bytes, stream);
}
void Cipher::decrypt_on_device(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                               void* stream) const {
  state_->crypt_device_part(Direction::decrypt, iv, offset, in, out, num_bytes, stream);
}

void Cipher::encrypt_sectors(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                             MutableBytes out) const {
  state_->crypt_sectors(Direction::encrypt, first_tweak, tweak_step, sector_bytes, in, out);
}
void Cipher::decrypt_sectors(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                             MutableBytes out) const {
  state_->crypt_sectors(Direction::decrypt, first_tweak, tweak_step, sector_bytes, in, out);
}

void Cipher::encrypt_batch(std::span<const Message> messages) const { state_->crypt_messages(Direction::encrypt, messages); }
void Cipher::decrypt_batch(std::span<const Message> messages) const { state_->crypt_messages(Direction::decrypt, messages); }

}  // namespace phalanx
