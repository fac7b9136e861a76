// These are the program's messages, one line each on standard error, "phalanx: ...", and its results on standard output.
#pragma once

#include <string>
#include <string_view>

#include "files/system/output/cached_pages.hpp"

namespace phalanx {

/// Returns "PATH: WHY", or WHY alone where that names the file.
[[nodiscard]] std::string about_file(const std::string& path, const std::string& why);

/// Prints a message as a plain_line. Names of files may hold control characters, and a message is one line and moves no
/// cursor. It repeats no identity of age that was given in the place of a name.
void print_error(std::string_view message);

/// Prints a message where there is no memory left to put one together.
void print_out_of_memory() noexcept;

/// Prints as print_error does, unless `quiet`.
void print_note(std::string_view message, bool quiet);

/// Says that the file `name`, which was read to be believed, need not be on a disk, where that is so. Says nothing if
/// `quiet`.
void say_unless_from_disk(std::string_view name, ContentSource source, bool quiet);

/// This stands behind the name of a file that an earlier run began.
inline constexpr const char* unread_from_disk = " is not on the disk as an earlier run wrote it";

/// Prints what the user has asked to see on standard output, as it is. Throws Error (runtime).
void print_result(std::string_view text);

}  // namespace phalanx
