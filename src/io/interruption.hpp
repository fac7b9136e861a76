// What is cleaned up when a signal ends the program: the unfinished output file and the terminal's echo.
#pragma once

#include <termios.h>

#include <string>

namespace phalanx {

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished file, restore the terminal, write one line to standard
/// error and end the program with 128 + the signal's number; a closed pipe is an error of write(2), not a signal. SIGHUP
/// stays ignored if it was (nohup).
void handle_interruptions();

/// Holds back those signals in this thread while it lives: between creating a file and naming it to us.
class InterruptionsHeldBack {
 public:
  InterruptionsHeldBack();
  ~InterruptionsHeldBack();
  InterruptionsHeldBack(const InterruptionsHeldBack&) = delete;
  InterruptionsHeldBack& operator=(const InterruptionsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

/// The file to remove; an empty path: none any more. Only one at a time.
void remove_on_interruption(const std::string& path);

/// The terminal's settings to restore; nullptr: nothing any more.
void restore_on_interruption(int terminal, const termios* settings);

/// Whether standard error holds an unfinished line, which the message then takes the place of.
void clear_line_on_interruption(bool clear);

/// A sentence for the line that an interruption writes, a string that lives for ever; nullptr: none.
void say_on_interruption(const char* sentence);

}  // namespace phalanx
