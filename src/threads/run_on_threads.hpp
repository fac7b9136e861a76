// Threads for work that waits for files, beside those of the engines.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace phalanx {

/// Calls work(i) for i in [0, num_threads), each on a thread of its own and work(0) on this one, and waits for all. Where
/// the system gives fewer threads, or no memory for them, fewer calls are made, but always work(0). `work` throws nothing.
template <class Work>
void work_on_threads(std::size_t num_threads, const Work& work) {
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
