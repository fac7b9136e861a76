// The steps of the paper's sections 3 and 4 once more, with an array of one int for each bit: what the paper's times look
// like.
#pragma once

#include <cstdint>
#include <span>

#include "reproductions/shorman2018_2des_mpi/textbook_2des.hpp"

namespace papers::shorman2018 {

/// As textbook_2des.hpp's crypt_ecb, sub-keys included; some twelve times slower. `key` has key_bytes.
void crypt_ecb_by_bit_arrays(std::span<const std::uint8_t> key, Direction direction, std::span<const std::uint8_t> in,
                             std::span<std::uint8_t> out);

}  // namespace papers::shorman2018
