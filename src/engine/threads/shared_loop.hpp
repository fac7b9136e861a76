// A loop whose steps several threads take one after the other, and which the first failure ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace phalanx {

/// The steps may wait for files: the threads are those of work_on_threads. A loop may run again, once it has ended.
class SharedLoop {
 public:
  using Step = std::function<void(std::size_t number)>;
  /// Calls `steps`, which takes one step after the other, on each thread.
  using Around = std::function<void(const std::function<void()>& steps)>;

  /// Calls step(number) for each number in [0, count), in this order, on up to `num_threads` threads. Where a step throws,
  /// no further one begins, and what the first one threw is thrown again when all threads have ended.
  void run(std::size_t num_threads, std::size_t count, const Step& step, const Around& around = {});

  /// No further step begins; those that have begun go on. Returns whether any step was left out by this call. Any thread.
  bool stop() { return next_.exchange(count_) < count_; }

  /// Returns whether a step has thrown. Any thread may ask.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void fail(std::exception_ptr thrown);

  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace phalanx
