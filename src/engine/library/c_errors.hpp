// No exception leaves the C interface: it becomes the number and the text that the caller gets. A thread that is
// cancelled does not leave a call, either.
#pragma once

#include <cxxabi.h>
#include <phalanx/phalanx.h>
#include <pthread.h>

#include <new>
#include <phalanx/error.hpp>

namespace phalanx {

/// Keeps the failure for phalanx_last_error and its facts; returns its code.
int failed_in_c(const Error& failure) noexcept;
int failed_in_c(ErrorCode code, const char* message) noexcept;  // without facts

/// While it lives, pthread_cancel waits: the thread ends at the caller's next cancellation point.
class CancellationHeldBack {
 public:
  CancellationHeldBack() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationHeldBack() { pthread_setcancelstate(before_, nullptr); }
  CancellationHeldBack(const CancellationHeldBack&) = delete;
  CancellationHeldBack& operator=(const CancellationHeldBack&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// For short calls that only compute, and so have no cancellation point: to hold it back costs half as much as they do.
/// Where an unwinding comes all the same, it goes through. It is inline, so that the call's arguments stay where they are.
template <class Run>
__attribute__((always_inline)) inline int guarded_computation(const Run& run) {
  try {
    run();
    return PHALANX_OK;
  } catch (const Error& error) {
    return failed_in_c(error);
  } catch (const std::bad_alloc&) {
    return failed_in_c(ErrorCode::runtime, "out of memory");
  } catch (const std::exception& error) {
    return failed_in_c(ErrorCode::runtime, error.what());
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return failed_in_c(ErrorCode::runtime, "an unknown failure");
  }
}

template <class Run>
int guarded(const Run& run) noexcept {
  const CancellationHeldBack held_back;
  return guarded_computation(run);
}

/// For the functions phalanx_..._free: closing a file is a cancellation point too.
template <class Handle>
void free_in_c(Handle* handle) noexcept {
  const CancellationHeldBack held_back;
  delete handle;
}

}  // namespace phalanx
