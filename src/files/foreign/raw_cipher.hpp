// This is the cipher of raw data. It crypts one message, or sectors.
#pragma once

#include <phalanx/files/foreign.hpp>
#include <string>

#include "engine/library/keyed_mode.hpp"
#include "files/pipeline/run_executor.hpp"

namespace phalanx {

/// Returns options for a cipher that encrypts blocks in order to decrypt a mode. The policy against writing legacy
/// ciphertext is not asked then.
[[nodiscard]] inline RunOptions that_may_encrypt(RunOptions options) {
  options.policy.allow_legacy = true;
  return options;
}

class RawCipher {
 public:
  /// Takes what the constructor of Cipher takes, or that of SectorCipher.
  RawCipher(const NamedCipher& cipher, Bytes key, bool by_sectors, const RunOptions& options)
      : keyed_(cipher, key, options, options.policy), is_by_sectors_(by_sectors) {
    if (by_sectors && cipher.mode != Mode::xts) fail_usage("sectors are for xts, and this is " + keyed_.name());
  }

  [[nodiscard]] const CipherFacts& facts() const { return keyed_.facts; }
  [[nodiscard]] const std::string& engine() const { return keyed_.engine_name; }
  [[nodiscard]] bool is_by_sectors() const { return is_by_sectors_; }
  /// Returns what crypts and holds the keys.
  [[nodiscard]] const KeyedMode& state() const { return keyed_; }

  /// Crypts the next bytes of a message whose parts are not independent, in place. `chain` is the state before them. Returns
  /// the state after them.
  [[nodiscard]] ChainValue crypt_chained(Direction direction, const ChainValue& chain, MutableBytes text) const {
    return keyed_.crypt(direction, chain, text, text);
  }
  /// These do what encrypt_part and decrypt_part of Cipher do, and encrypt and decrypt of SectorCipher. In XTS they let more
  /// pass: a weak key that is allowed, and a long data unit, which MessageCipher refuses.
  void crypt_part(Direction direction, Bytes iv, std::uint64_t offset, MutableBytes text) const {
    if (direction == Direction::encrypt) keyed_.refuse_legacy();
    keyed_.crypt_part(direction, iv, offset, text, text);
  }
  void crypt_sectors(Direction direction, std::uint64_t first_tweak, const SectorLayout& layout, MutableBytes text) const {
    keyed_.crypt_sectors(direction, first_tweak, layout.tweak_step, layout.sector_bytes, text, text);
  }

 private:
  KeyedMode keyed_;
  bool is_by_sectors_;
};

}  // namespace phalanx
