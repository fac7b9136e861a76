// Threads that help a caller with its work. There are as many as the processor has room for, or as the system lets us make: a thread
// that cannot be made is done without, and the caller does more itself. (oneTBB's workers make one another, and one that fails there
// ends the process: no caller could catch it.)
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>

namespace phalanx {

class ThreadPool {
 public:
  /// The process's own, with one thread fewer than the process may use at once. The child of a fork has another.
  static ThreadPool& of_process();

  explicit ThreadPool(std::size_t most_threads) : most_threads_(most_threads) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work() on the caller's thread and on up to most_helpers others, as they become free until the caller's own call ends.
  /// Returns when all of these calls have. work must not throw; it may call share itself, but not fork.
  void share(std::size_t most_helpers, const std::function<void()>& work);

 private:
  /// One call of share, which lives on its caller's stack.
  struct Job {
    const std::function<void()>& work;
    std::size_t places;                      ///< for so many more helpers
    std::atomic<std::size_t> num_active{0};  ///< helpers within work; written under the mutex
    std::condition_variable done{};
  };

  void start_threads(std::size_t wanted);
  void wake_helpers(std::size_t num_places);
  void close(std::list<Job*>::iterator place);
  void help_for_ever();
  void help(std::unique_lock<std::mutex>& lock);

  const std::size_t most_threads_;
  std::mutex mutex_;  ///< guards what follows, and the jobs
  std::condition_variable opened_;
  std::list<Job*> open_;               ///< jobs with places left
  std::atomic<bool> has_open_{false};  ///< whether there are any; written under the mutex
  std::size_t num_threads_ = 0;
  std::size_t num_idle_ = 0;
};

/// How many threads the process may use at once, by its affinity mask.
std::size_t usable_processors();

}  // namespace phalanx
