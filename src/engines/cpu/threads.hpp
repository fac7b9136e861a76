// The CPU engine's threads: oneTBB, with or without a limit.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace phalanx {

/// The arena of at most num_threads threads, and no more than the process may use; made once and kept.
tbb::task_arena& arena_of(int num_threads);

/// How many threads run_parallel would use. 0 asks for all that the process may use (its affinity mask).
int thread_count(int num_threads);

/// Runs body(first, last) for ranges that together make [0, count), on at most num_threads threads (0: all). No range is longer
/// than `grain`, but on one thread: cores of one machine differ in speed from moment to moment, and whoever is fast takes more.
template <class Body>
void run_parallel(int num_threads, std::size_t count, std::size_t grain, const Body& body) {
  const auto run = [&] {
    // Isolated: a thread that waits here must not pick up unrelated work of the caller, who may hold a lock.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, grain),
          [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); },
          tbb::simple_partitioner());
    });
  };
  if (num_threads == 1 || count < 2) {
    if (count != 0) body(std::size_t{0}, count);
  } else if (num_threads == 0) {
    run();
  } else {
    arena_of(num_threads).execute(run);
  }
}

/// The same with ranges of one.
template <class Body>
void run_parallel(int num_threads, std::size_t count, const Body& body) {
  run_parallel(num_threads, count, 1, body);
}

}  // namespace phalanx
