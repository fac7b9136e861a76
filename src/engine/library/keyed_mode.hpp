// Cipher, SectorCipher and DeviceCipher hold this. Their operations share its checks and pieces.
#pragma once

#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/device_batch.hpp>
#include <phalanx/options.hpp>
#include <string>

#include "engine/engines/engine.hpp"
#include "engine/engines/keyed_device_aead.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// This is a cipher and mode, GCM excepted, under a key, on an engine.
struct KeyedMode {
  const CipherFacts& facts;
  NamedCipher named;
  std::size_t rest_mask;  ///< num_bytes & this is what a message has beyond whole blocks
  unsigned block_shift;   ///< num_bytes >> this is how many blocks those are
  std::string engine_name;
  std::unique_ptr<KeyedCipher> data_key;
  std::unique_ptr<KeyedCipher> tweak_key;  ///< XTS only
  bool has_equal_halves = false;           ///< the key of XTS
  bool is_refused_legacy;                  ///< legacy, and the policy does not allow to encrypt with it

  /// As Cipher's constructor has them.
  KeyedMode(const NamedCipher& cipher, Bytes key, const EngineOptions& options, const CipherPolicy& policy = {});

  [[nodiscard]] Mode mode() const { return named.mode; }
  [[nodiscard]] const std::string& name() const { return facts.name; }
  [[nodiscard]] std::size_t block_bytes() const { return named.cipher->block_bytes; }
  [[nodiscard]] std::size_t iv_bytes() const { return facts.iv_bytes; }
  [[nodiscard]] std::size_t num_blocks_of(std::size_t num_bytes) const { return num_bytes >> block_shift; }
  [[nodiscard]] std::size_t rest_of(std::size_t num_bytes) const { return num_bytes & rest_mask; }

  // Each throws Error (usage, or truncated for ciphertext of an impossible length) if the argument does not fit. Those that
  // a call for one message has are inline; what they say, and the others, are in argument_checks.cpp.
  void check_iv(Bytes iv) const {
    if (iv.size() != iv_bytes()) [[unlikely]]
      fail_iv(iv);
  }
  void check_length(Direction direction, std::size_t num_bytes) const {
    const MessageLength length = facts_of(mode()).length;
    if (length == MessageLength::any) return;
    const bool fits = length == MessageLength::whole_blocks ? rest_of(num_bytes) == 0 : num_bytes >= block_bytes();
    if (!fits) [[unlikely]]
      fail_length(direction, num_bytes);
  }
  void check_message(Direction direction, Bytes iv, Bytes in, Bytes out) const {
    check_iv(iv);
    check_out(in, out);
    check_length(direction, in.size());
  }
  [[noreturn]] void fail_iv(Bytes iv) const;
  [[noreturn]] void fail_length(Direction direction, std::size_t num_bytes) const;
  void check_cipher(const Message& message) const;
  void check_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, Bytes out) const;
  void check_sectors(Direction direction, std::size_t sector_bytes, Bytes in, Bytes out) const;

  // These refuse to encrypt, and nothing refuses to decrypt. crypt_message, crypt and crypt_batch call them. Callers of
  // the other functions below call those that apply. Each throws Error (policy).
  /// Refuses a legacy cipher or mode without CipherPolicy::allow_legacy, whatever there is to encrypt.
  void refuse_legacy() const {
    if (is_refused_legacy) [[unlikely]]
      fail_legacy();
  }
  [[noreturn]] void fail_legacy() const;
  /// Refuses a data unit of XTS whose end is so far from its beginning, and a key of equal halves.
  void refuse_to_encrypt_unit(std::uint64_t unit_bytes) const;
  /// Refuses a part of a data unit of XTS as refuse_to_encrypt_unit does, by the part's end.
  void refuse_to_encrypt_part(std::uint64_t offset, std::size_t num_bytes) const;
  /// Refuses a message of a batch as refuse_to_encrypt_unit does. Its key may be its own.
  void refuse_to_encrypt_message(const Message& message) const;

  // message.cpp
  inline ChainValue crypt_message(Direction direction, Bytes iv, Bytes in, MutableBytes out) const;
  /// Crypts a message for callers that have no Cipher.
  ChainValue crypt(Direction direction, Bytes iv, Bytes in, MutableBytes out) const;
  void crypt_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;
  void start_chain(Bytes iv, std::uint64_t block, std::uint8_t* chain) const;
  void crypt_device_part(Direction direction, Bytes iv, std::uint64_t offset, const void* in, void* out,
                         std::size_t num_bytes, void* stream) const;
  /// Whole blocks and, in CTR, CFB and OFB, a short last one. `chain` moves on by the whole blocks.
  void crypt_blocks_and_tail(Direction direction, std::uint8_t* chain, Bytes in, MutableBytes out) const;
  void crypt_tail(std::uint8_t* chain, Bytes in, MutableBytes out) const;

  // xts.cpp: XTS
  /// IEEE 1619-2018 section 5.1, SP 800-38E section 4: a data unit has at most 2^20 blocks.
  static constexpr std::uint64_t most_unit_bytes = std::uint64_t{16} << 20;

  void crypt_sectors(Direction direction, std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes,
                     Bytes in, MutableBytes out) const;

  // batch.cpp
  [[nodiscard]] static const KeyedMode& state_of(const Cipher& cipher);
  [[nodiscard]] static const KeyedMode& state_of(const SectorCipher& cipher);
  void crypt_batch(Direction direction, std::span<const Message> messages) const;

  // device_batch.cpp
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_device_batch(Direction direction, const DeviceBatch& batch,
                                                                      void* stream) const;
  void crypt_device_sectors(Direction direction, const DeviceSectors& sectors, void* stream) const;
};

/// This is the error of a call after a move.
inline constexpr const char* moved_cipher = "this cipher was moved from: use the object that it was moved to";

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
