// The shares of several GPUs at once.
#pragma once

#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace phalanx {

/// Runs body(i) for i in [0, count) at once, each on a thread of its own, and throws the first exception of any.
template <class Body>
void run_each(std::size_t count, const Body& body) {
  std::vector<std::exception_ptr> failures(count);
  std::vector<std::thread> threads;
  const auto guarded = [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  threads.reserve(count);
  for (std::size_t i = 1; i < count; ++i) {
    try {
      threads.emplace_back(guarded, i);
    } catch (const std::system_error&) {  // the system has no more threads: one after another, then
      guarded(i);
    }
  }
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

}  // namespace phalanx
