// This header shows how far a long call has come, and ends it early. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <atomic>
#include <cstdint>
#include <functional>

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// This is called after each piece with the number of bytes that were read for it. Any thread may call it, but one at a
/// time. If it throws, the call ends as after any other failure.
using OnProgress = std::function<void(std::uint64_t num_bytes)>;

/// Ends the calls that it was given to. They look at it before each piece of a file (about 1 MiB), clean up as after any
/// other failure, and throw Error (runtime), "cancelled". A call that can be resumed after a kill can be resumed then too.
/// Any thread, and a signal's handler, may cancel. It must live as long as the calls, and stays cancelled.
class Cancellation {
 public:
  Cancellation() noexcept = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void cancel() noexcept { is_cancelled_.test_and_set(); }  ///< any thread may call it, and a signal's handler
  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_.test(); }  ///< whether somebody has called cancel

 private:
  std::atomic_flag is_cancelled_;  // the one atomic of a byte that is lock-free on each machine, which a handler needs
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
