// Which way a cipher runs. Its own file because kernels, engines and the library all name it.
#pragma once

namespace phalanx {

enum class Direction : unsigned char { encrypt, decrypt };

inline constexpr unsigned num_directions = 2;

}  // namespace phalanx
