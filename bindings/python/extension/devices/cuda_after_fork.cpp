#include "devices/cuda_after_fork.hpp"

#include <atomic>

#include "arguments/errors.hpp"
#include "engine/host/process_mark.hpp"

namespace phalanx {
namespace {

std::atomic<std::uint64_t> generation_of_use{0};  // the process that used CUDA; 0: none

}  // namespace

void note_cuda() {
  const std::uint64_t own = process_generation();
  std::uint64_t first = 0;
  if (generation_of_use.compare_exchange_strong(first, own) || first == own) return;
  throw BindingError(BindingErrorKind::fork,
                     "CUDA was used before this process was forked: start processes by multiprocessing's \"spawn\"");
}

bool cuda_is_lost() {
  const std::uint64_t first = generation_of_use.load();
  return first != 0 && first != process_generation();
}

void note_engine(std::string_view engine_name) {
  // A name that is unknown makes the library list all engines, CUDA's too.
  if (engine_name.empty() || engine_name == "auto" || engine_name.starts_with("cpu")) return;
  note_cuda();
}

}  // namespace phalanx
