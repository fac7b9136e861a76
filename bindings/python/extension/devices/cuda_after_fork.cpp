#include "devices/cuda_after_fork.hpp"

#include <pthread.h>

#include <atomic>

#include "arguments/errors.hpp"

namespace phalanx {
namespace {

std::atomic<bool> cuda_was_used{false};
std::atomic<bool> used_before_fork{false};

void remember_in_child() {
  if (cuda_was_used.load()) used_before_fork.store(true);
}

}  // namespace

void note_cuda() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, remember_in_child);
  if (used_before_fork.load(std::memory_order_relaxed)) {
    throw BindingError(BindingErrorKind::fork,
                       "CUDA was used before this process was forked: start processes by multiprocessing's \"spawn\"");
  }
  cuda_was_used.store(true, std::memory_order_relaxed);
}

bool cuda_is_lost() { return used_before_fork.load(std::memory_order_relaxed); }

void note_engine(std::string_view engine_name) {
  // A name that is unknown makes the library list all engines, CUDA's too.
  if (engine_name.empty() || engine_name == "auto" || engine_name.starts_with("cpu")) return;
  note_cuda();
}

}  // namespace phalanx
