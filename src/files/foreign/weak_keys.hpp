// Keys that nothing should be encrypted under.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// What is wrong with a key of the cipher, for a message, or "" if nothing is: a weak or semi-weak DES key (SP 800-67
/// section 3.3.2), double or triple DES with equal neighbouring keys, which is single DES or nothing (section 3.2), XTS with
/// equal halves (FIPS 140-3 IG C.I). Only the verdict depends on the key; time does not.
[[nodiscard]] std::string key_weakness(const NamedCipher& named, Bytes key);

}  // namespace phalanx
