// What is cleaned up when a signal ends the program: unfinished files and the terminal's echo.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>

#include "files/file_identity.hpp"

namespace phalanx {

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished files, restore the terminal, write one line to standard
/// error and end the program with 128 + the signal's number; a closed pipe is an error of write(2), not a signal. SIGHUP
/// stays ignored if it was (nohup). What ends in std::terminate cleans up too, and ends with 1.
void handle_interruptions();

/// For one of many processes that end together, each of which would say so: the line is written only where it has a sentence
/// (SignalNote) that says more.
void say_only_sentences_on_interruption(bool only);

/// What those signals do but for the line and the end: for a process that is about to end. Other threads make no file
/// any more.
void clean_up_as_interrupted();

/// Whether that was done: what other threads find wrong from then on is not worth a word.
[[nodiscard]] bool is_interrupted();

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

/// The terminal's settings to restore; nullptr: nothing any more.
void restore_on_interruption(int terminal, const termios* settings);

/// Standard error holds an unfinished line, and this ends it or takes it away before the message: a string that lives for
/// ever; nullptr: there is no such line.
void end_line_on_interruption(const char* end);

/// While it lives, the line that an interruption writes has this sentence, a string that lives for ever: the last one's,
/// where there are several.
class SignalNote {
 public:
  explicit SignalNote(const char* sentence);
  ~SignalNote();
  SignalNote(const SignalNote&) = delete;
  SignalNote& operator=(const SignalNote&) = delete;
};

}  // namespace phalanx
