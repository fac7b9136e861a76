// An object remembers here which process made it. A process that is forked has a copy of every key, counter and file of
// its parent. An object that counts nonces, or writes to a file, asks here whether it is such a copy.
#pragma once

#include <cstdint>

namespace phalanx {

/// Returns the number of this process among its ancestors: each child has a higher one. Any number of threads may call
/// it at once. It costs a load: the kernel clears the number in a child (MADV_WIPEONFORK), however that was made. A
/// handler of pthread_atfork does not see children of clone. Before Linux 4.14 the kernel cannot clear the number. Then
/// such a handler and getpid find a child out. They do not find a child of clone that has its parent's number, in a
/// namespace of its own.
[[nodiscard]] std::uint64_t process_generation();

/// Remembers the process that makes it.
class ProcessMark {
 public:
  ProcessMark() : generation_(process_generation()) {}
  /// False in a process that was forked since.
  [[nodiscard]] bool is_of_this_process() const { return generation_ == process_generation(); }
  /// Throws Error (usage) in a process that was forked since.
  void require_this_process() const {
    if (!is_of_this_process()) [[unlikely]]
      fail_forked();
  }

 private:
  [[noreturn]] static void fail_forked();

  std::uint64_t generation_;
};

/// Lives while a function of the caller runs within a call of ours. A process that is forked in there must not come back: it
/// has none of the call's threads, and would wait for ever, or write where its parent writes. One that does is ended, with a
/// line on standard error and the exit code 1.
class CallerRuns {
 public:
  CallerRuns() = default;
  ~CallerRuns() {
    if (!process_.is_of_this_process()) [[unlikely]]
      end_forked();
  }
  CallerRuns(const CallerRuns&) = delete;
  CallerRuns& operator=(const CallerRuns&) = delete;

 private:
  [[noreturn]] static void end_forked() noexcept;

  ProcessMark process_;
};

}  // namespace phalanx
