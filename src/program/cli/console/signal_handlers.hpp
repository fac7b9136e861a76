// This says what a signal that ends the program does. Unfinished files go, the terminal's echo comes back, and one line says
// so.
#pragma once

#include <termios.h>

namespace phalanx {

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished files, restore the terminal, and write one line to standard
/// error. They end the program with 128 + the signal's number. A signal that was ignored stays ignored (nohup). A closed
/// pipe is an error of write(2), not a signal. A std::terminate cleans up too, and ends the program with 1. A page that a
/// mapped OUT has lost is an error of that file (OutputMapping), and any other SIGBUS ends the program.
void handle_signals();

/// Writes the line only where a SignalNote has more to say. This is for one of many processes that end together, each of
/// which would write it.
void say_only_notes_on_interruption(bool only);

/// Does what those signals do but for the line and the end, for a process that is about to end. After it other threads make
/// no file any more.
void clean_up_as_interrupted();

/// Keeps the terminal's settings, to restore them; nullptr: there is nothing to restore any more.
void restore_on_interruption(int terminal, const termios* settings);

/// Keeps a string that lives for ever. It ends the unfinished line that standard error holds, or takes it away, before the
/// message; nullptr: there is no such line.
void end_line_on_interruption(const char* end);

}  // namespace phalanx
