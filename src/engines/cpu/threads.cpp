#include "engines/cpu/threads.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace phalanx {

tbb::task_arena& arena_of(int num_threads) {
  static std::mutex mutex;
  // Never destroyed: threads may outlive static objects.
  static auto& arenas = *new std::map<int, std::unique_ptr<tbb::task_arena>>;
  const int slots = std::min(num_threads, tbb::info::default_concurrency());  // oneTBB complains of more
  const std::lock_guard lock(mutex);
  std::unique_ptr<tbb::task_arena>& arena = arenas[slots];
  if (!arena) arena = std::make_unique<tbb::task_arena>(slots);
  return *arena;
}

int thread_count(int num_threads) { return num_threads > 0 ? num_threads : tbb::this_task_arena::max_concurrency(); }

}  // namespace phalanx
