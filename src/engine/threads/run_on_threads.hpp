// Threads for work that waits for files, beside those of the engines.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "engine/threads/shared_work.hpp"

namespace phalanx {

/// Calls work(i) for i in [0, num_threads), each on a thread of its own, and waits for all. Where the process has a limit,
/// the system gives fewer threads, or no memory for them, fewer calls are made, but always work(0). Where the process has
/// set an executor, the calls but one are its tasks. `work` throws nothing.
template <class Work>
void work_on_threads(std::size_t num_threads, const Work& work) {
  num_threads = within_limit(num_threads);
  if (has_executor()) {
    std::atomic<std::size_t> next{0};
    return share_work(num_threads - 1, [&] { work(next.fetch_add(1)); });
  }
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < num_threads; ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::exception&) {
    // Fewer do as well.
  }
  work(std::size_t{0});
  for (std::thread& thread : threads) thread.join();
}

}  // namespace phalanx
