// A record has a message with the data key, sealed under an input key of its recipient (docs/format.md, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/fixed_part.hpp"

namespace phalanx {

/// Returns the size of the message.
[[nodiscard]] std::size_t key_wrap_bytes(const Suite& suite);

/// Appends to `data` the message of the data key, with a new salt. `label` says whose it is.
void append_key_wrap(const FixedPart& fixed_part, std::string_view label, Bytes input_key, Bytes data_key,
                     std::vector<std::uint8_t>& data);

/// Opens the data key, or returns nothing if it is sealed under another input key. Throws Error (authentication) if it was
/// changed.
[[nodiscard]] std::optional<SecretBytes> open_key_wrap(const FixedPart& fixed_part, std::string_view label, Bytes input_key,
                                                       Bytes wrap);

}  // namespace phalanx
