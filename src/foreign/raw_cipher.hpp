// The cipher of raw data: over one message, or by sectors.
#pragma once

#include <phalanx/cipher.hpp>
#include <phalanx/foreign.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "library/keyed_mode.hpp"

namespace phalanx {

class RawCipher {
 public:
  RawCipher(std::string_view name, Bytes key, bool by_sectors, const Options& options)
      : cipher_(by_sectors ? AnyCipher(std::in_place_type<SectorCipher>, name, key, options)
                           : AnyCipher(std::in_place_type<Cipher>, name, key, options)) {}

  [[nodiscard]] const CipherFacts& facts() const {
    return std::visit([](const auto& cipher) -> const CipherFacts& { return cipher.facts(); }, cipher_);
  }
  [[nodiscard]] const std::string& engine() const {
    return std::visit([](const auto& cipher) -> const std::string& { return cipher.engine(); }, cipher_);
  }
  [[nodiscard]] bool is_by_sectors() const { return std::holds_alternative<SectorCipher>(cipher_); }
  [[nodiscard]] const Cipher& of_messages() const { return std::get<Cipher>(cipher_); }
  [[nodiscard]] const SectorCipher& of_sectors() const { return std::get<SectorCipher>(cipher_); }
  /// What crypts, and has the keys.
  [[nodiscard]] const KeyedMode& state() const {
    return std::visit([](const auto& cipher) -> const KeyedMode& { return KeyedMode::state_of(cipher); }, cipher_);
  }
  /// As encrypt_part of the one and encrypt of the other, for more than the library lets pass in XTS: a weak key that is
  /// allowed, and a long data unit, which MessageCipher refuses.
  void encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
    const KeyedMode& keyed = KeyedMode::state_of(of_messages());
    keyed.refuse_legacy();
    keyed.crypt_part(Direction::encrypt, iv, offset, in, out);
  }
  void encrypt_sectors(std::uint64_t first_tweak, const SectorLayout& layout, MutableBytes text) const {
    KeyedMode::state_of(of_sectors())
        .crypt_sectors(Direction::encrypt, first_tweak, layout.tweak_step, layout.sector_bytes, text, text);
  }

 private:
  using AnyCipher = std::variant<Cipher, SectorCipher>;
  AnyCipher cipher_;
};

}  // namespace phalanx
