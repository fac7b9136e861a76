#include "engine/threads/shared_loop.hpp"

#include <algorithm>
#include <utility>

#include "engine/threads/run_on_threads.hpp"

namespace phalanx {

void SharedLoop::fail(std::exception_ptr thrown) {
  stop();
  const std::lock_guard lock(mutex_);
  if (!thrown_) thrown_ = std::move(thrown);
  has_failed_ = true;
}

void SharedLoop::run(std::size_t num_threads, std::size_t count, const Step& step, const Around& around) {
  count_ = count;
  next_ = 0;
  has_failed_ = false;
  thrown_ = nullptr;
  if (count == 0) return;
  work_on_threads(std::min(num_threads, count), [&](std::size_t /*thread*/) {
    const auto steps = [&] {
      for (std::size_t number = next_++; number < count; number = next_++) step(number);
    };
    try {
      around ? around(steps) : steps();
    } catch (...) {
      fail(std::current_exception());
    }
  });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace phalanx
