// What the program says: on standard error one line each, "phalanx: ...", and results on standard output.
#pragma once

#include <string_view>

namespace phalanx {

/// A plain_line: names of files may hold control characters, and a message is one line and moves no cursor.
void print_error(std::string_view message);

/// The same where there is no memory left to put a message together.
void print_out_of_memory() noexcept;

/// The same, unless `quiet`.
void print_note(std::string_view message, bool quiet);

/// What the user has asked to see, on standard output, as it is. Throws Error (runtime).
void print_result(std::string_view text);

}  // namespace phalanx
