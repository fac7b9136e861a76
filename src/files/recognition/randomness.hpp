// This says whether bytes look as ciphertext does.
#pragma once

#include <phalanx/bytes.hpp>

namespace phalanx {

/// Says whether nothing shows that the bytes are not random. Random bytes are taken for others less than once in 2^40 times;
/// few bytes always look random.
[[nodiscard]] bool look_random(Bytes bytes);

}  // namespace phalanx
