// Base64 (RFC 4648 section 4) without padding, canonical: of secrets too, since neither branch nor address depends on the
// characters.
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string_view>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Returns how many characters so many bytes take.
[[nodiscard]] constexpr std::size_t raw_base64_characters(std::size_t num_bytes) { return (num_bytes * 8 + 5) / 6; }

/// Writes raw_base64_characters(bytes.size()) characters.
void encode_raw_base64(Bytes bytes, std::uint8_t* out);

/// The bytes; nothing where the text has another character or length, or spare bits that are not zero.
[[nodiscard]] std::optional<SecretBytes> decode_raw_base64(std::string_view text);

}  // namespace phalanx
