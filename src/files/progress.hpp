// What is told how far a run has come.
#pragma once

#include <cstdint>

namespace phalanx {

/// Any number of threads may call it at once. This one ignores what it is told.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void add(std::uint64_t /*num_bytes*/) {}
};

}  // namespace phalanx
