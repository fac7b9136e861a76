// Threads of our own: loops whose ranges run at once.
#pragma once

#include <cstddef>
#include <functional>

namespace phalanx {

/// Returns how many threads run_parallel would use. 0 asks for all that the process may use (its affinity mask). There
/// are no more than the process's limit.
int thread_count(int num_threads);

/// While it lives, run_parallel of this thread takes no helpers: for one of many threads that each do the same.
class SerialSection {
 public:
  SerialSection();
  ~SerialSection();
  SerialSection(const SerialSection&) = delete;
  SerialSection& operator=(const SerialSection&) = delete;

 private:
  bool before_;
};

/// run_parallel where there is more than one range and one thread.
void share_ranges(int num_threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& body);

/// Runs body(first, last) for ranges that together make [0, count), on at most num_threads threads (0: all), and on fewer
/// where the system has no more. No range is longer than `grain`, but on one thread: cores of one machine differ in speed
/// from moment to moment, and whoever is fast takes more. Throws what a body has thrown, if any, when all that ran have
/// ended; ranges that no thread had begun by then are left out. A body may itself call run_parallel: a thread that waits
/// takes up no other work.
template <class Body>
void run_parallel(int num_threads, std::size_t count, std::size_t grain, const Body& body) {
  if (num_threads == 1 || count < 2) {
    if (count != 0) body(std::size_t{0}, count);
  } else {
    share_ranges(num_threads, count, grain, std::cref(body));
  }
}

/// Runs a body by ranges of one.
template <class Body>
void run_parallel(int num_threads, std::size_t count, const Body& body) {
  run_parallel(num_threads, count, 1, body);
}

}  // namespace phalanx
