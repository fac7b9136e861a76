// One rank without MPI, in place of src/program/cluster/ranks.cpp: what it hears, and what becomes of what it says, is a test's.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "program/cluster/ranks.hpp"

namespace phalanx {

/// That of the Ranks objects that are made while it is set.
struct RankInMemory {
  int rank = 0, num_ranks = 1;
  std::function<std::optional<RankMessage>()> hear{};
  std::function<void(int to, Bytes in_clear, bool is_sealed)> say{};
  /// Throws, or ends the process.
  std::function<void(int from, const std::string& why)> refuse{};
};

/// Stays the caller's.
void set_rank_in_memory(const RankInMemory& rank);

}  // namespace phalanx
