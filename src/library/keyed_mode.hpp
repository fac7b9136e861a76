// What Cipher, SectorCipher and DeviceCipher hold, and the checks and pieces that their operations share.
#pragma once

#include <memory>
#include <phalanx/phalanx.hpp>
#include <string>

#include "engines/engine.hpp"
#include "library/arguments_checks.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// A cipher and mode, GCM excepted, under a key, on an engine.
struct KeyedMode {
  const CipherFacts& facts;
  NamedCipher named;
  std::string engine_name;
  std::unique_ptr<KeyedCipher> data_key;
  std::unique_ptr<KeyedCipher> tweak_key;  ///< XTS only

  /// As Cipher's constructor has them.
  KeyedMode(std::string_view cipher_name, Bytes key, const Options& options);

  [[nodiscard]] Mode mode() const { return named.mode; }
  [[nodiscard]] const std::string& name() const { return facts.name; }
  [[nodiscard]] std::size_t block_bytes() const { return named.cipher->block_bytes; }
  [[nodiscard]] std::size_t iv_bytes() const { return facts.iv_bytes; }

  // checks.cpp: each throws Error (usage, or truncated for ciphertext of an impossible length) if the argument does not fit.
  void check_iv(Bytes iv) const;
  void check_length(Direction direction, std::size_t num_bytes) const;
  void check_message(Direction direction, Bytes iv, Bytes in, Bytes out) const;
  void check_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, Bytes out) const;
  void check_sectors(Direction direction, std::size_t sector_bytes, Bytes in, Bytes out) const;

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
};

struct Cipher::State : KeyedMode {
  using KeyedMode::KeyedMode;
};
struct SectorCipher::State : KeyedMode {
  using KeyedMode::KeyedMode;
};
struct DeviceCipher::State : KeyedMode {
  using KeyedMode::KeyedMode;
};

}  // namespace phalanx
