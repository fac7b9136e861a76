// This knows keys that nothing should be encrypted under.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// Says what is wrong with a key of the cipher, or "" if nothing is. The time does not depend on the key, only the verdict
/// does:
/// - a weak or semi-weak DES key (SP 800-67 section 3.3.2)
/// - double or triple DES with equal neighbouring keys, which is single DES (section 3.2)
/// - XTS with equal halves (FIPS 140-3 IG C.I)
[[nodiscard]] std::string key_weakness(const NamedCipher& named, Bytes key);

}  // namespace phalanx
