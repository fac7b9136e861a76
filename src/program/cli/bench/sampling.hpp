// This takes samples of several runs in turn, and makes quartiles of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace phalanx {

/// Is timed, and may be called again and again.
using Run = std::function<void()>;

struct Quartiles {
  double low = 0;  ///< a quarter of the samples are below
  double median = 0;
  double high = 0;
};

/// Returns the quartiles of at least one value. Between two values they are in proportion.
[[nodiscard]] Quartiles quartiles_of(std::vector<double> values);

/// Holds the samples of one run.
struct Series {
  std::vector<double> seconds;  ///< of one call
  std::vector<double> cycles;   ///< of one call: seconds times the clock rate beside the sample
};

/// Takes samples of every run in turn until `seconds` have passed, at least 3 of each and at most 101. So what slows the
/// machine for a while slows all runs. A sample is as many calls as fill two milliseconds, or one. As many calls that are
/// not timed go before it, where they take less than 20 ms. Caches, clock and wide units are as the run before left them. A
/// processor that has not used its 512-bit units for a while begins at a fraction of its rate, for up to half a millisecond.
[[nodiscard]] std::vector<Series> sample_in_turn(std::span<const Run> runs, double seconds);

/// Returns the clock cycles a second, now. It times a chain of multiplications, each of which waits 3 cycles for the one
/// before (Intel and AMD alike). The time stamp counter runs at another rate. The best of a few counts, since an
/// interruption can only make one longer.
[[nodiscard]] double clock_rate();

}  // namespace phalanx
