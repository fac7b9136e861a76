// The shares of several GPUs at once.
#pragma once

#include <algorithm>
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

/// The same with body(i, first, last) for consecutive parts [first, last) of `total` units: at most `most` parts of at least
/// `least` units each, or one part of all.
template <class Body>
void run_parts(std::size_t total, std::size_t least, std::size_t most, const Body& body) {
  const std::size_t count = std::clamp<std::size_t>(total / least, 1, most);
  run_each(count, [&](std::size_t i) { body(i, total * i / count, total * (i + 1) / count); });
}

}  // namespace phalanx
