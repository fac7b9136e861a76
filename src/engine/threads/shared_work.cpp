#include "engine/threads/shared_work.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <phalanx/error.hpp>
#include <phalanx/threads.hpp>

#include "engine/threads/thread_pool.hpp"

namespace phalanx {
namespace {

std::atomic<int> most_threads_of_process{0};                       // 0: no limit
std::atomic<std::shared_ptr<const Executor>> executor_of_process;  // nullptr: the pool

// One call's offer to the threads of an executor, which may take it up late, when the call is over: then there is nothing
// left of the call but this.
class Offer {
 public:
  explicit Offer(const std::function<void()>& work) : work_(work) {}

  void help() noexcept {
    if ((state_.fetch_add(1) & closed) == 0) work_();
    if (state_.fetch_sub(1) == closed + 1) state_.notify_one();
  }

  // Lets nobody in any more, and waits for those who are.
  void close() noexcept {
    state_.fetch_or(closed);
    for (std::uint32_t state = state_.load(); state != closed; state = state_.load()) state_.wait(state);
  }

 private:
  static constexpr std::uint32_t closed = 1U << 31;  // the other bits count helpers
  const std::function<void()>& work_;                // only before it is closed
  std::atomic<std::uint32_t> state_{0};
};

void offer_to(const Executor& executor, std::size_t most_helpers, const std::function<void()>& work) {
  const auto offer = std::make_shared<Offer>(work);
  try {
    for (std::size_t i = 0; i < most_helpers; ++i) executor([offer] { offer->help(); });
  } catch (...) {
    // Fewer do as well.
  }
  work();
  offer->close();
}

}  // namespace

bool has_executor() { return executor_of_process.load() != nullptr; }

std::size_t within_limit(std::size_t num_threads) {
  const int most = most_threads_of_process.load(std::memory_order_relaxed);
  return most == 0 ? num_threads : std::min(num_threads, static_cast<std::size_t>(most));
}

void share_work(std::size_t most_helpers, const std::function<void()>& work) {
  if (most_helpers == 0) return work();
  if (const std::shared_ptr<const Executor> executor = executor_of_process.load()) {
    offer_to(*executor, most_helpers, work);
  } else {
    ThreadPool::of_process().share(most_helpers, work);
  }
}

inline namespace PHALANX_VERSION_NAMESPACE {

void limit_threads(int most_threads) {
  if (most_threads < 0) {
    throw Error(ErrorCode::usage, "a limit of " + std::to_string(most_threads) + " threads: give 1 or more, or 0 for none");
  }
  most_threads_of_process = most_threads;
}

void set_executor(Executor executor) {
  executor_of_process = executor ? std::make_shared<const Executor>(std::move(executor)) : nullptr;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
