// The operations of our kernels, counted: their own sources, run over a word that counts what is done to it.
#pragma once

#include <cstddef>

#include "engine/ciphers/direction.hpp"

namespace phalanx::bench {

struct OperationCount {
  double operations = 0;  ///< logic, shifts and rotations; loads and stores have ports of their own
  double shifts = 0;      ///< the shifts and rotations among them
};

/// One round of DES: the S-boxes, the key and L ^ f. `has_lut3`: a three-input lookup is one operation (AVX-512); otherwise
/// as many two-input ones as the circuits have.
[[nodiscard]] OperationCount count_des_round(bool has_lut3);

/// All 32 rounds of Serpent over one word for each of a block's four words. Without rotations of its own (AVX2), a machine
/// takes three operations for one.
[[nodiscard]] OperationCount count_serpent(bool has_lut3, Direction direction);

}  // namespace phalanx::bench
