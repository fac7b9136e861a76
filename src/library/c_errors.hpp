// No exception leaves the C interface: it becomes the number and the text that the caller gets.
#pragma once

#include <phalanx/phalanx.h>

#include <new>
#include <phalanx/phalanx.hpp>

namespace phalanx {

/// Keeps the failure for phalanx_last_error and its facts; returns its code.
int failed_in_c(const Error& failure) noexcept;
int failed_in_c(ErrorCode code, const char* message) noexcept;  // without facts

template <class Run>
int guarded(const Run& run) noexcept {
  try {
    run();
    return PHALANX_OK;
  } catch (const Error& error) {
    return failed_in_c(error);
  } catch (const std::bad_alloc&) {
    return failed_in_c(ErrorCode::runtime, "out of memory");
  } catch (const std::exception& error) {
    return failed_in_c(ErrorCode::runtime, error.what());
  } catch (...) {
    return failed_in_c(ErrorCode::runtime, "an unknown failure");
  }
}

}  // namespace phalanx
