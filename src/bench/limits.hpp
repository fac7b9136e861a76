// The least cycles a byte that a kernel's own instructions allow: what "distance to the limit" is measured against.
// docs/performance.md derives each figure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/task.hpp"

namespace phalanx::bench {

/// The vector operations of one round over a whole group of lanes, and the group's size. tests/bench counts them in the kernels' own
/// sources.
struct RoundCost {
  double operations;        ///< logic on any vector port
  double shifts;            ///< those of them that only one port takes (AVX-512 on Intel)
  std::size_t group_bytes;  ///< that a round's operations work on
};

/// `vector_bits`: 512 (lut3 is one operation), 256 or 128 (it is as many as lanes/lut3_two_input.hpp has).
[[nodiscard]] RoundCost des_round_cost(std::size_t vector_bits);
/// The average over the eight S-boxes, with the linear transformation and the key.
[[nodiscard]] RoundCost serpent_round_cost(std::size_t vector_bits);

/// Of one core for `engine` on the processor of this name; none where no limit was worked out: another maker's processor, a GPU,
/// a mode that waits for latency (but AES), Twofish without AVX-512.
[[nodiscard]] std::optional<double> limit_cycles_per_byte(const Job& job, const std::string& engine, const std::string& cpu);

}  // namespace phalanx::bench
