// Time stamps between the stages of a 3DES, as tables II and III of the paper need them. How its author timed the stages is
// not said; their sum is the paper's total, so they were timed one by one.
#pragma once

#include <x86intrin.h>

#include <array>
#include <cstdint>

namespace papers::lin2017 {

inline constexpr std::size_t num_stages = 5;  ///< IP, three DES, FP; XOR, load and store are part of the first and the last

/// Ticks of the time stamp counter, summed over blocks.
using StageTicks = std::array<std::uint64_t, num_stages>;

/// The time stamp counter once everything before is done, and before anything after begins.
inline std::uint64_t fenced_ticks() {
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
}

/// Six stamps a block.
class StageClock {
 public:
  explicit StageClock(StageTicks& ticks) : ticks_(&ticks) {}

  void stamp() {
    const std::uint64_t now = fenced_ticks();
    if (next_ > 0) (*ticks_)[next_ - 1] += now - last_;
    next_ = next_ == num_stages ? 0 : next_ + 1;
    last_ = now;
  }

 private:
  StageTicks* ticks_;
  std::uint64_t last_ = 0;
  std::size_t next_ = 0;
};

}  // namespace papers::lin2017
