// Samples of several runs, taken in turn, and what is made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace phalanx {

/// What is timed; may be called again and again.
using Run = std::function<void()>;

struct Quartiles {
  double low = 0;  ///< a quarter of the samples are below
  double median = 0;
  double high = 0;
};

/// Of at least one value; between two values in proportion.
[[nodiscard]] Quartiles quartiles_of(std::vector<double> values);

/// The samples of one run.
struct Series {
  std::vector<double> seconds;  ///< of one call
  std::vector<double> cycles;   ///< of one call: seconds times the clock rate beside the sample
};

/// Takes samples of every run in turn, so that whatever slows the machine for a while slows all of them, until `seconds`
/// have passed; at least three of each. A sample is as many calls as fill two milliseconds, or one. As many that are not
/// timed go before it, where they take less than 20 ms: caches, clock and wide units are as the run before left them, and a
/// processor that has not used its 512-bit units for a while runs at a fraction of its rate for up to half a millisecond
/// when it does.
[[nodiscard]] std::vector<Series> sample_in_turn(std::span<const Run> runs, double seconds);

/// Clock cycles a second, now: a chain of multiplications, each of which waits 3 cycles for the one before (Intel and AMD
/// alike). The time stamp counter runs at another rate. The best of a few, since an interruption can only make one longer.
[[nodiscard]] double clock_rate();

}  // namespace phalanx
