// The least cycles a byte that a kernel's own operations allow: what "distance to the limit" is measured against.
// docs/notes/speed_limits.md derives each figure.
#pragma once

#include <optional>
#include <string>

#include "bench/measuring/task.hpp"

namespace phalanx::bench {

/// Of one core for `engine` on the processor of this name; none where no limit was worked out: another maker's processor, a
/// GPU, a mode that waits for latency (but AES), Twofish without AVX2.
[[nodiscard]] std::optional<double> limit_cycles_per_byte(const Job& job, const std::string& engine, const std::string& cpu);

}  // namespace phalanx::bench
