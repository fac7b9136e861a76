// The cipher of raw data: over one message, or by sectors.
#pragma once

#include <variant>

#include "phalanx/cipher.hpp"

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
  [[nodiscard]] const Cipher& of_messages() const { return std::get<Cipher>(cipher_); }
  [[nodiscard]] const SectorCipher& of_sectors() const { return std::get<SectorCipher>(cipher_); }

 private:
  using AnyCipher = std::variant<Cipher, SectorCipher>;
  AnyCipher cipher_;
};

}  // namespace phalanx
