// Who is told how far a run is.
#pragma once

#include <cstdint>

namespace phalanx {

/// Any number of threads may tell it at once. This one takes no notice.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void add(std::uint64_t /*num_bytes*/) {}
};

}  // namespace phalanx
