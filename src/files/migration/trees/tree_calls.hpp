// The public functions over trees share these.
#pragma once

#include <exception>
#include <mutex>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/foreign.hpp>
#include <span>

#include "files/foreign/search/candidates.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Throws Error (usage) where there is none.
void require_a_format(std::span<const ForeignFormat> formats);

/// Every format with its key or passphrase, and each digest where that is to be found. Throws Error (usage).
[[nodiscard]] Candidates candidates_of(std::span<const ForeignFormat> formats, const EngineOptions& engine,
                                       bool find_wrapping);

/// A caller's function and cancellation, for many files: what the function throws, or a cancellation, ends the run where
/// that asks, and is none of a file's failures.
class ProgressOfMany : public Progress {
 public:
  /// Both stay the caller's; the cancellation may be nullptr.
  ProgressOfMany(const OnProgress& on_progress, const Cancellation* cancellation)
      : on_progress_(on_progress), cancellation_(cancellation) {}

  /// Throws what the function has thrown, or Error (runtime) where the call was cancelled.
  void require_going();
  void add(std::uint64_t num_bytes) override;

 private:
  const OnProgress& on_progress_;
  const Cancellation* cancellation_;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace phalanx
