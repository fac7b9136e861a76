// A caller's function and a caller's cancellation, as the progress that runs tell how far they are.
#pragma once

#include <mutex>
#include <phalanx/error.hpp>
#include <phalanx/files/cancellation.hpp>

#include "engine/host/process_mark.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Throws Error (runtime) if the call was cancelled.
inline void require_not_cancelled(const Cancellation* cancellation) {
  if (cancellation != nullptr && cancellation->is_cancelled()) throw Error(ErrorCode::runtime, "cancelled");
}

/// Pieces run side by side, and tell one at a time. Each ends the run where that was cancelled.
class ProgressCall : public Progress {
 public:
  /// Both stay the caller's; the cancellation may be nullptr.
  ProgressCall(const OnProgress& on_progress, const Cancellation* cancellation)
      : on_progress_(on_progress), cancellation_(cancellation) {
    require_not_cancelled(cancellation_);
  }

  void add(std::uint64_t num_bytes) override {
    require_not_cancelled(cancellation_);
    if (!on_progress_) return;
    const std::lock_guard lock(mutex_);
    {
      const CallerRuns away;
      on_progress_(num_bytes);
    }
    require_not_cancelled(cancellation_);  // by whoever heard of the last piece
  }

 private:
  const OnProgress& on_progress_;
  const Cancellation* cancellation_;
  std::mutex mutex_;
};

}  // namespace phalanx
