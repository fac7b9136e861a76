// Bech32 (BIP 173) without its limit on the length, as age writes keys: PREFIX "1" DATA and a checksum.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

struct Bech32 {
  std::string prefix;  ///< in lower case
  bool is_upper = false;
  SecretBytes data;
};

/// Lower case, or upper case where the prefix has capital letters. Neither branch nor address depends on the data.
[[nodiscard]] SecretBytes encode_bech32(std::string_view prefix, Bytes data);

/// Throws Error (format), which repeats nothing of the text, where it is no Bech32. It may have mixed case, another
/// character, a wrong checksum, or spare bits that are not zero or make a character. Neither branch nor address depends
/// on its content, except on whether it is valid.
[[nodiscard]] Bech32 decode_bech32(std::string_view text);

}  // namespace phalanx
