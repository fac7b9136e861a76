// The catalog has facts of a cipher in a mode that is parsed already.
#pragma once

#include <phalanx/catalog.hpp>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// As cipher_facts of its name. `named` is one of all_ciphers in a mode that it has.
[[nodiscard]] const CipherFacts& facts_of(const NamedCipher& named);

}  // namespace phalanx
