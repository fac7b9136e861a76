// The CPU's half of Swierczewski (2013): the 48 round keys, which both halves use, and the OpenMP version.
#pragma once

#include <array>
#include <cstddef>
#include <phalanx/phalanx.hpp>

#include "engine/ciphers/direction.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/long_integer_3des.hpp"

namespace papers::swierczewski2013 {

/// keys_host of listing 1.1. `key` has 24 bytes. Decryption takes the same 48 in reverse.
using RoundKeys = std::array<LongInteger, num_round_keys>;
RoundKeys make_round_keys(phalanx::Direction direction, phalanx::Bytes key);

/// In place, on num_threads threads.
void openmp_3des_ecb(const RoundKeys& round_keys, LongInteger* data, std::size_t num_blocks, int num_threads);

}  // namespace papers::swierczewski2013
