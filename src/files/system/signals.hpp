// What has to be cleaned up, and what is to be said, where a signal ends the process: kept here for whoever handles signals.
// The library handles none; the program does, in program/cli/console/signal_handlers.hpp.
#pragma once

#include <signal.h>

#include <cstddef>
#include <string>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// The signals that end a run.
inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
[[nodiscard]] sigset_t ending_signal_set();

/// For a handler of those signals, as all here that is for one: whether the process may end now. If it may not, since
/// SignalBlocker lives, the signal is raised once more when that goes.
[[nodiscard]] bool may_end_by(int signal_number) noexcept;

/// For what ends the process without a signal: waits until no SignalBlocker lives, a second at most. No other begins then.
void wait_until_it_may_end() noexcept;

/// For a handler: removes the unfinished files, each if its name is still that of the file. From then on other threads make
/// no file any more.
void remove_unfinished_files() noexcept;

/// Whether that was done: what other threads find wrong from then on is not worth a word.
[[nodiscard]] bool is_interrupted();

/// What becomes of what the run had done, where a signal ends it. Whoever handles the signal has the words for it.
enum class Interrupted : unsigned char {
  nothing,               ///< that anybody would want to know
  output_goes_on,        ///< OUT's beginning is kept: the same command again continues
  output_is_lost,        ///< OUT's beginning is removed, and would have been kept had the run been one that goes on
  output_is_complete,    ///< OUT has its name
  in_place_goes_on,      ///< the file is half done: the same command again resumes it
  in_place_is_complete,  ///< the file is done, and doing the same again would crypt it twice
};

/// For a handler: what the last SignalNote that lives says.
[[nodiscard]] Interrupted what_is_interrupted() noexcept;

/// Holds those signals back while the object lives, whichever thread gets them: between creating a file and registering it
/// here, and where what would be said is not true for a moment. Only for what takes no time.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

  /// What comes while the object lives comes too late: what the run was to do is done.
  void forget() { forgets_ = true; }

 private:
  sigset_t before_{};
  bool forgets_ = false;
};

/// While the object lives, an interruption removes the file, if the name is still that file's. Throws Error (usage) for a
/// name that is too long; at most max_removals live at once.
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

/// While it lives, this is what a signal interrupts: the last one's, where there are several.
class SignalNote {
 public:
  explicit SignalNote(Interrupted what);
  ~SignalNote();
  SignalNote(const SignalNote&) = delete;
  SignalNote& operator=(const SignalNote&) = delete;
};

}  // namespace phalanx
