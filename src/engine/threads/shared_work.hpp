// A call gets help with its work from the library's pool, or from the threads of an executor that the process has set.
#pragma once

#include <cstddef>
#include <functional>

namespace phalanx {

/// Returns whether the process has set an executor.
[[nodiscard]] bool has_executor();

/// num_threads, or fewer where the process has set a limit.
[[nodiscard]] std::size_t within_limit(std::size_t num_threads);

/// Calls work() on this thread, and on up to most_helpers others while this thread's own call goes on. Returns when all of
/// these calls have. work throws nothing; it may call share_work itself.
void share_work(std::size_t most_helpers, const std::function<void()>& work);

}  // namespace phalanx
