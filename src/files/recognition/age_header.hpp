// The header of a file of age (c2sp.org/age), as far as it shows for whom it is.
#pragma once

#include <phalanx/bytes.hpp>
#include <string_view>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// A file of age begins with this, and with its version.
inline constexpr std::string_view age_magic = "age-encryption.org/v";

/// Describes a file of age by its beginning: the types of its stanzas, such as X25519 or scrypt.
[[nodiscard]] RecognisedFile describe_age(Bytes beginning);

}  // namespace phalanx
