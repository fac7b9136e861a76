// What a phalanx::Cipher holds, and the checks and pieces that its operations share.
#pragma once

#include <memory>
#include <phalanx/phalanx.hpp>
#include <string>

#include "engines/engine.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// A message of GCM with a nonce of 12 bytes and no associated data.
struct GcmMessage {
  std::uint8_t nonce[12];
  const std::uint8_t* in;
  std::uint8_t* out;  ///< may be `in`
  std::size_t num_bytes;
};
inline constexpr std::size_t max_gcm_messages = 16;

/// A cipher and mode under a key, on an engine.
struct KeyedMode {
  NamedCipher named;
  std::string name;
  std::string engine_name;
  std::unique_ptr<KeyedCipher> data_key;
  std::unique_ptr<KeyedCipher> tweak_key;  ///< XTS only
  std::unique_ptr<KeyedHash> hash;         ///< GCM only

  /// As Cipher's constructor has them.
  KeyedMode(std::string_view cipher_name, Bytes key, const Options& options);

  [[nodiscard]] Mode mode() const { return named.mode; }
  [[nodiscard]] std::size_t block_bytes() const { return named.cipher->block_bytes; }
  [[nodiscard]] std::size_t iv_bytes() const;

  // checks.cpp: each throws Error (usage, or truncated for ciphertext of an impossible length) if the argument does not fit.
  void check_mode_is(Mode wanted, const char* functions) const;
  void check_key(Bytes key) const;
  void check_iv(Bytes iv) const;
  void check_length(Direction direction, std::size_t num_bytes) const;
  void check_message(Direction direction, Bytes iv, Bytes in, std::size_t out_size) const;
  void check_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, std::size_t out_size) const;
  void check_sectors(Direction direction, std::size_t sector_bytes, Bytes in, std::size_t out_size) const;
  void check_gcm(Bytes nonce, Bytes in, std::size_t out_size) const;

  // single_message.cpp
  ChainValue crypt_message(Direction direction, Bytes iv, Bytes in, MutableBytes out) const;
  void crypt_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;
  void start_chain(Bytes iv, std::uint64_t block, std::uint8_t* chain) const;
  void crypt_device_part(Direction direction, Bytes iv, std::uint64_t offset, const void* in, void* out,
                         std::size_t num_bytes, void* stream) const;
  /// Whole blocks and, in CTR, CFB and OFB, a short last one. `chain` moves on by the whole blocks.
  void crypt_blocks_and_tail(Direction direction, std::uint8_t* chain, Bytes in, MutableBytes out) const;

  // data_units.cpp: XTS
  /// A data unit, or its end: `tweak`, already encrypted, is that of its first block.
  void crypt_data_unit(Direction direction, std::uint8_t* tweak, Bytes in, MutableBytes out) const;
  void crypt_sectors(Direction direction, std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes,
                     Bytes in, MutableBytes out) const;

  // many_messages.cpp
  void crypt_messages(Direction direction, std::span<const Message> messages) const;

  // authenticated.cpp: GCM
  void set_hash(const Engine& engine, int num_threads);
  void first_counter(Bytes nonce, std::uint8_t* counter) const;
  void hash_padded(std::uint8_t* y, Bytes in) const;
  void crypt_counted(bool counts_from_1, std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t num_blocks) const;

  // gcm_messages.cpp
  /// Crypts up to max_gcm_messages messages, as Cipher::seal does, and writes the tag of each to `tags`, 16 bytes apart. When
  /// decrypting, `out` is not yet authentic: the caller compares the tags, and wipes what does not verify before anyone sees it.
  void crypt_gcm_messages(Direction direction, std::span<const GcmMessage> messages, std::uint8_t* tags) const;
  /// The same of any number of messages: the engine crypts all together, and this machine's threads hash. For GPUs.
  void crypt_gcm_batch(Direction direction, std::span<const GcmMessage> messages, std::uint8_t* tags, int num_threads) const;
  [[nodiscard]] bool is_on_gpu() const { return engine_name.starts_with("cuda"); }
};

struct Cipher::State : KeyedMode {
  using KeyedMode::KeyedMode;
};

/// out = a ^ b; out may be a or b.
void xor_into(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes);

[[noreturn]] void fail_usage(const std::string& message);

}  // namespace phalanx
