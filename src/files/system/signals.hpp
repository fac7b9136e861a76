// This keeps what is to be cleaned up, and what is to be said, where a signal ends the process. The program's handlers use
// it (program/cli/console/signal_handlers.hpp). The library has no handlers.
#pragma once

#include <signal.h>

#include <cstddef>
#include <string>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// These signals end a run.
inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
[[nodiscard]] sigset_t ending_signal_set();

/// This is for a handler of those signals, as are all functions here that say so. Says whether the process may end now. If
/// it may not, since a SignalBlocker lives, the signal is raised once more when that goes.
[[nodiscard]] bool may_end_by(int signal_number) noexcept;

/// This is for code that ends the process without a signal. Waits until no SignalBlocker lives, a second at most. No other
/// begins then.
void wait_until_it_may_end() noexcept;

/// This is for a handler. Removes the unfinished files, each if its name is still that of the file. From then on other
/// threads make no file any more.
void remove_unfinished_files() noexcept;

/// Says whether that was done: errors of other threads from then on are not worth a message.
[[nodiscard]] bool is_interrupted();

/// Says what becomes of the run's output, where a signal ends it. The handler of the signal has the words for it.
enum class Interrupted {
  nothing,               ///< nothing that anybody would want to know
  output_goes_on,        ///< OUT's beginning is kept: the same command again continues
  output_is_lost,        ///< OUT's beginning is removed, though a run that can go on would have kept it
  output_is_complete,    ///< OUT has its name
  in_place_goes_on,      ///< the file is half done: the same command again resumes it
  in_place_is_complete,  ///< the file is done, and doing the same again would crypt it twice
};

/// This is for a handler. Returns what the last SignalNote that lives says.
[[nodiscard]] Interrupted what_is_interrupted() noexcept;

/// Holds those signals back while the object lives, whichever thread gets them. It is needed between creating a file and
/// registering it here, and where a note would be untrue for a moment. It is only for steps that take no time.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

  /// Drops signals that come while the object lives: they come too late, since the run's work is done.
  void forget() { forgets_ = true; }

 private:
  sigset_t before_{};
  bool forgets_ = false;
};

/// Makes an interruption remove the file, while the object lives, if the name is still that file's. Throws Error (usage) for
/// a name that is too long. At most max_removals live at once.
class RemoveOnSignal {
 public:
  RemoveOnSignal(const std::string& path, const FileIdentity& identity);
  ~RemoveOnSignal();
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  std::size_t place_ = 0;
};

inline constexpr std::size_t max_removals = 1024;

/// Says what a signal interrupts, while the object lives. If there are several, the last one counts.
class SignalNote {
 public:
  explicit SignalNote(Interrupted what);
  ~SignalNote();
  SignalNote(const SignalNote&) = delete;
  SignalNote& operator=(const SignalNote&) = delete;
};

}  // namespace phalanx
