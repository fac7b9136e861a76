// What a signal that ends the program does: unfinished files go, the terminal's echo comes back, and one line says so.
#pragma once

#include <termios.h>

namespace phalanx {

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished files, restore the terminal, write one line to standard
/// error and end the program with 128 + the signal's number; a closed pipe is an error of write(2), not a signal. What was
/// ignored stays ignored (nohup). What ends in std::terminate cleans up too, and ends with 1. A page that a mapped OUT has
/// lost is an error of that file (OutputMapping), and any other SIGBUS ends the program.
void handle_signals();

/// For one of many processes that end together, each of which would say so: the line is written only where a SignalNote has
/// more to say.
void say_only_notes_on_interruption(bool only);

/// What those signals do but for the line and the end: for a process that is about to end. Other threads make no file
/// any more.
void clean_up_as_interrupted();

/// The terminal's settings to restore; nullptr: nothing any more.
void restore_on_interruption(int terminal, const termios* settings);

/// Standard error holds an unfinished line, and this ends it or takes it away before the message: a string that lives for
/// ever; nullptr: there is no such line.
void end_line_on_interruption(const char* end);

}  // namespace phalanx
