// phalanx.h tells these facts of a thread's last call that failed.
#include "engine/library/c_errors.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace phalanx {
namespace {

// Each thread has its own. It lies on the heap behind a pointer, which nothing destroys: calls may come late, from
// functions of atexit and from destructors of other keys.
struct LastFailure {
  std::string sentence;
  ErrorFacts facts;
};
thread_local LastFailure* last_c_error = nullptr;
thread_local bool lacks_memory = false;

void forget_last_failure(void* /*of_thread*/) {
  delete last_c_error;
  last_c_error = nullptr;
}

// Frees what a thread has kept when that ends, and once more if it fails again while it ends.
void free_at_end_of_thread(LastFailure* failure) {
  static const auto key = [] {
    pthread_key_t made = 0;
    return pthread_key_create(&made, forget_last_failure) == 0 ? std::optional(made) : std::nullopt;
  }();
  if (key) pthread_setspecific(*key, failure);
}

// nullptr if there is no memory for it.
LastFailure* new_failure() {
  if (last_c_error == nullptr) {
    last_c_error = new (std::nothrow) LastFailure;
    if (last_c_error != nullptr) free_at_end_of_thread(last_c_error);
  }
  lacks_memory = last_c_error == nullptr;
  return last_c_error;
}

void keep(std::string& place, std::string_view text) {
  try {
    place = text;
  } catch (const std::bad_alloc&) {
    place.clear();
  }
}

const ErrorFacts& last_facts() {
  static const ErrorFacts& none = *new ErrorFacts;
  return last_c_error == nullptr ? none : last_c_error->facts;
}

}  // namespace

int failed_in_c(ErrorCode code, const char* message) noexcept {
  if (LastFailure* const failure = new_failure()) {
    failure->facts = {};
    keep(failure->sentence, message);
  }
  return static_cast<int>(code);
}

int failed_in_c(const Error& error) noexcept {
  if (LastFailure* const failure = new_failure()) {
    keep(failure->sentence, error.what());
    failure->facts.offset = error.offset();
    failure->facts.system_error = error.system_error();
    keep(failure->facts.name, error.name());
  }
  return static_cast<int>(error.code());
}

}  // namespace phalanx

const char* phalanx_last_error(void) {
  if (phalanx::lacks_memory) return "out of memory";
  return phalanx::last_c_error == nullptr ? "" : phalanx::last_c_error->sentence.c_str();
}
int phalanx_last_error_errno(void) { return phalanx::last_facts().system_error; }
const char* phalanx_last_error_name(void) { return phalanx::last_facts().name.c_str(); }
std::uint64_t phalanx_last_error_offset(void) { return phalanx::last_facts().offset; }
