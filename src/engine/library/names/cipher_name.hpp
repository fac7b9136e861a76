// This parses the name of a cipher in a mode.
#pragma once

#include <string_view>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// Parses cipher-mode, e.g. "DES-EDE3-CBC". Throws Error (usage) if either half is unknown or missing, or if the mode
/// (XTS, GCM) needs a 128-bit block and the cipher has none. The Error lists the names that there are, and names the
/// one that was probably meant.
NamedCipher parse_cipher_name(std::string_view name);

}  // namespace phalanx
