// The baseline of Altinok, Peker and Temizel (2020), section V: triple DES as section III lists its steps, a char for each
// bit, with the loop over blocks shared out by OpenMP.
#pragma once

#include <cstddef>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "engine/ciphers/direction.hpp"

namespace papers::altinok2020 {

/// Section III-A: 3 * 16 round keys of 48 chars each. `key` has 24 bytes.
std::vector<char> classical_round_keys(phalanx::Bytes key);

/// Section III-B, over num_blocks blocks of 64 chars each, in place, on num_threads threads. round_keys: as above.
void classical_3des(const std::vector<char>& round_keys, phalanx::Direction direction, char* text, std::size_t num_blocks,
                    int num_threads);

}  // namespace papers::altinok2020
