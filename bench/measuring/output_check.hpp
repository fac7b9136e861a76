// No time counts before the output was compared, byte for byte, with that of somebody else.
#pragma once

#include <string>
#include <vector>

#include "bench/measuring/workload.hpp"

namespace phalanx::bench {

/// What a task's output must be.
struct Expected {
  std::vector<std::uint8_t> out;
  std::vector<std::uint8_t> tags;
  std::string from;  ///< whose result it is
};

/// The result for `task`, which is the workload's or the same in ECB: that of the plain reference; for more than it does in
/// a moment, that of the first library that has the cipher and mode; failing both, of cpu:scalar, whose kernels the tests
/// compare with the reference.
[[nodiscard]] Expected expect_output(Workload& workload, const Task& task);

/// Makes the sealed messages that GCM decryption takes. Nothing for other jobs.
void seal_input_if_needed(Workload& workload);

/// Resets the workload, runs once and compares. Throws Error (runtime) that names `who`, what was crypted and the first byte
/// that differs.
void check_output(Workload& workload, const Expected& expected, const Run& run, const std::string& who);

}  // namespace phalanx::bench
