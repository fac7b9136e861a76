// Cipher, SectorCipher and DeviceCipher: construction, and their functions, most of which only choose a direction; those for
// one message are in message.cpp.
#include <phalanx/cipher.hpp>

#include "engine/engines/registry.hpp"
#include "engine/library/catalog.hpp"
#include "engine/library/device_batch.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx {
namespace {

EngineOptions on_a_gpu(const EngineOptions& options) {
  EngineOptions result = options;
  if (result.engine.empty()) result.engine = "cuda";
  return result;
}

}  // namespace

KeyedMode::KeyedMode(const NamedCipher& cipher, Bytes key, const EngineOptions& options, const CipherPolicy& policy)
    : facts(facts_of(cipher)),
      named(cipher),
      rest_mask(block_bytes() - 1),
      block_shift(block_bytes() == 16 ? 4 : 3),
      is_refused_legacy(is_legacy(named) && !policy.allow_legacy) {
  if (is_aead(mode())) fail_usage(name() + " is authenticated: use an Aead");
  check_key(facts, key);
  check_options(options);
  const Engine& engine = find_engine(options.engine);
  const CipherSpec& spec = *named.cipher;
  engine_name = engine.info().name;
  data_key = engine.set_key(spec, key.first(spec.key_bytes), options.num_threads);
  if (mode() != Mode::xts) return;
  tweak_key = engine.set_key(spec, key.subspan(spec.key_bytes), options.num_threads);
  has_equal_halves = phalanx::has_equal_halves(key);
}

Cipher::Cipher(std::string_view name, Bytes key, const EngineOptions& options, const CipherPolicy& policy)
    : state_(std::make_unique<const State>(parse_cipher_name(name), key, options, policy)) {}
Cipher::~Cipher() = default;
Cipher::Cipher(Cipher&&) noexcept = default;
Cipher& Cipher::operator=(Cipher&&) noexcept = default;

const CipherFacts& Cipher::facts() const { return state_of(state_, moved_cipher).facts; }
const std::string& Cipher::engine() const { return state_of(state_, moved_cipher).engine_name; }

void Cipher::encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  const State& state = state_of(state_, moved_cipher);
  state.refuse_legacy();
  state.refuse_to_encrypt_part(offset, in.size());
  state.crypt_part(Direction::encrypt, iv, offset, in, out);
}
void Cipher::decrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  state_of(state_, moved_cipher).crypt_part(Direction::decrypt, iv, offset, in, out);
}

void Cipher::encrypt_batch(std::span<const Message> messages) const {
  state_of(state_, moved_cipher).crypt_batch(Direction::encrypt, messages);
}
void Cipher::decrypt_batch(std::span<const Message> messages) const {
  state_of(state_, moved_cipher).crypt_batch(Direction::decrypt, messages);
}

SectorCipher::SectorCipher(std::string_view name, Bytes key, const EngineOptions& options, const CipherPolicy& policy) {
  const NamedCipher named = parse_cipher_name(name);
  if (named.mode != Mode::xts) fail_usage("sectors are for xts, and this is " + full_name(named));
  state_ = std::make_unique<const State>(named, key, options, policy);
}
SectorCipher::~SectorCipher() = default;
SectorCipher::SectorCipher(SectorCipher&&) noexcept = default;
SectorCipher& SectorCipher::operator=(SectorCipher&&) noexcept = default;

const CipherFacts& SectorCipher::facts() const { return state_of(state_, moved_cipher).facts; }
const std::string& SectorCipher::engine() const { return state_of(state_, moved_cipher).engine_name; }

void SectorCipher::encrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                           MutableBytes out) const {
  const State& state = state_of(state_, moved_cipher);
  if (!in.empty()) state.refuse_to_encrypt_unit(sector_bytes);
  state.crypt_sectors(Direction::encrypt, first_tweak, tweak_step, sector_bytes, in, out);
}
void SectorCipher::decrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                           MutableBytes out) const {
  state_of(state_, moved_cipher).crypt_sectors(Direction::decrypt, first_tweak, tweak_step, sector_bytes, in, out);
}

DeviceCipher::DeviceCipher(std::string_view name, Bytes key, const EngineOptions& options, const CipherPolicy& policy) {
  const EngineOptions chosen = on_a_gpu(options);
  if (!chosen.engine.starts_with("cuda"))
    fail_usage("the engine " + chosen.engine + " cannot reach a GPU's memory: choose cuda");
  state_ = std::make_unique<const State>(parse_cipher_name(name), key, chosen, policy);
}
DeviceCipher::~DeviceCipher() = default;
DeviceCipher::DeviceCipher(DeviceCipher&&) noexcept = default;
DeviceCipher& DeviceCipher::operator=(DeviceCipher&&) noexcept = default;

const CipherFacts& DeviceCipher::facts() const { return state_of(state_, moved_cipher).facts; }
const std::string& DeviceCipher::engine() const { return state_of(state_, moved_cipher).engine_name; }

void DeviceCipher::encrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                           void* stream) const {
  const State& state = state_of(state_, moved_cipher);
  state.refuse_legacy();
  state.refuse_to_encrypt_part(offset, num_bytes);
  state.crypt_device_part(Direction::encrypt, iv, offset, in, out, num_bytes, stream);
}
void DeviceCipher::decrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                           void* stream) const {
  state_of(state_, moved_cipher).crypt_device_part(Direction::decrypt, iv, offset, in, out, num_bytes, stream);
}

void DeviceCipher::encrypt_batch(const DeviceBatch& batch, void* stream) const { encrypt_batch_async(batch, stream).wait(); }
void DeviceCipher::decrypt_batch(const DeviceBatch& batch, void* stream) const { decrypt_batch_async(batch, stream).wait(); }
DeviceVerdicts DeviceCipher::encrypt_batch_async(const DeviceBatch& batch, void* stream) const {
  const State& state = state_of(state_, moved_cipher);
  state.refuse_legacy();
  if (state.mode() == Mode::xts && batch.keys == nullptr && batch.num_messages != 0) state.refuse_to_encrypt_unit(0);
  using Verdicts = DeviceVerdicts::State;
  return DeviceVerdicts(std::make_unique<const Verdicts>(state.crypt_device_batch(Direction::encrypt, batch, stream)));
}
DeviceVerdicts DeviceCipher::decrypt_batch_async(const DeviceBatch& batch, void* stream) const {
  using Verdicts = DeviceVerdicts::State;
  const State& state = state_of(state_, moved_cipher);
  return DeviceVerdicts(std::make_unique<const Verdicts>(state.crypt_device_batch(Direction::decrypt, batch, stream)));
}

void DeviceCipher::encrypt_sectors(const DeviceSectors& sectors, void* stream) const {
  const State& state = state_of(state_, moved_cipher);
  if (sectors.num_bytes != 0 && state.mode() == Mode::xts) state.refuse_to_encrypt_unit(sectors.sector_bytes);
  state.crypt_device_sectors(Direction::encrypt, sectors, stream);
}
void DeviceCipher::decrypt_sectors(const DeviceSectors& sectors, void* stream) const {
  state_of(state_, moved_cipher).crypt_device_sectors(Direction::decrypt, sectors, stream);
}

}  // namespace phalanx
