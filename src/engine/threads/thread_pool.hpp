// Threads that help a caller with its work. There are as many as the processor has room for, or as the system lets us make:
// if a thread cannot be made, the caller does more itself. (oneTBB's workers make one another, and one
// that fails there ends the process: no caller could catch it.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace phalanx {

class ThreadPool {
 public:
  /// The process's own, with one thread fewer than the process may use at once. The child of a fork has another.
  static ThreadPool& of_process();

  explicit ThreadPool(std::size_t most_threads) : most_threads_(most_threads) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work() on the caller's thread and on up to most_helpers others, as they become free until the caller's own call
  /// ends. Returns when all of these calls have. work must not throw; it may call share itself, but not fork.
  void share(std::size_t most_helpers, const std::function<void()>& work);

 private:
  /// One call of share offers its work in a slot. A slot's state is one word, so that a helper comes and goes by one
  /// operation each. It is free (0), or taken by a caller. Then it counts the places for more helpers, and the helpers
  /// within work.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> state{0};
    const std::function<void()>* work = nullptr;  ///< read only by helpers whom the state let in
  };

  [[nodiscard]] Slot* claim_slot(std::size_t num_places, const std::function<void()>& work);
  void release_slot(Slot& slot);
  void start_threads(std::size_t wanted);
  void wake_helpers(std::size_t num_places);
  void worker_loop();
  bool try_help();
  bool help_slot(Slot& slot);

  static constexpr std::size_t num_slots = 16;  ///< a caller that finds none works alone
  const std::size_t most_threads_;
  std::array<Slot, num_slots> slots_;
  alignas(64) std::atomic<std::uint32_t> num_offers_{0};  ///< ever made: what the idle wait for
  std::atomic<std::size_t> num_threads_{0};
  std::atomic<std::size_t> num_busy_{0};
  std::mutex starting_;
};

/// Returns how many threads the process may use at once, by its affinity mask.
std::size_t usable_processors();

}  // namespace phalanx
