#include "engine/threads/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "engine/threads/shared_work.hpp"
#include "engine/threads/thread_pool.hpp"

namespace phalanx {
namespace {

// The ranges of one loop: threads take them one after another.
class Ranges {
 public:
  using Body = std::function<void(std::size_t, std::size_t)>;
  Ranges(std::size_t count, std::size_t grain, const Body& body) : count_(count), grain_(grain), body_(body) {}

  void work() noexcept {
    for (;;) {
      const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= num_ranges()) return;
      try {
        body_(number * grain_, number + 1 < num_ranges() ? (number + 1) * grain_ : count_);
      } catch (...) {
        keep_failure();
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  [[nodiscard]] std::size_t num_ranges() const { return count_ / grain_ + (count_ % grain_ != 0 ? 1 : 0); }

 private:
  void keep_failure() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = num_ranges();
  }

  const std::size_t count_;
  const std::size_t grain_;
  const Body& body_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

thread_local bool in_serial_section = false;

}  // namespace

SerialSection::SerialSection() : before_(in_serial_section) { in_serial_section = true; }
SerialSection::~SerialSection() { in_serial_section = before_; }

int thread_count(int num_threads) {
  return static_cast<int>(within_limit(num_threads > 0 ? static_cast<std::size_t>(num_threads) : usable_processors()));
}

void share_ranges(int num_threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& body) {
  if (count == 0) return;
  if (in_serial_section) return body(0, count);
  Ranges ranges(count, std::max<std::size_t>(1, grain), body);
  const auto most_threads = static_cast<std::size_t>(thread_count(num_threads));
  share_work(std::min(most_threads, ranges.num_ranges()) - 1, [&ranges] { ranges.work(); });
  ranges.rethrow();
}

}  // namespace phalanx
