// The processor time of the calling thread.
#pragma once

#include <chrono>
#include <ctime>

namespace circuits {

/// What an attempt may cost is counted in it, so that a search finds the same on a busy machine, only later.
struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

/// A time_point of either clock.
template <class Clock>
typename Clock::time_point seconds_from_now(double seconds) {
  return Clock::now() + std::chrono::duration_cast<typename Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace circuits
