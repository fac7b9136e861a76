// What the program says: on standard error one line each, "phalanx: ...", and results on standard output.
#pragma once

#include <string>
#include <string_view>

#include "files/system/output/cached_pages.hpp"

namespace phalanx {

/// Returns "PATH: WHY", or WHY alone where that names the file.
[[nodiscard]] std::string about_file(const std::string& path, const std::string& why);

/// A plain_line: names of files may hold control characters, and a message is one line and moves no cursor. It repeats no
/// identity of age that was given in the place of a name.
void print_error(std::string_view message);

/// The same where there is no memory left to put a message together.
void print_out_of_memory() noexcept;

/// The same, unless `quiet`.
void print_note(std::string_view message, bool quiet);

/// Says of the file `name`, which was read to be believed, that it need not be on a disk, where that is so; unless `quiet`.
void say_unless_from_disk(std::string_view name, ContentSource source, bool quiet);

/// Behind the name of a file that an earlier run began.
inline constexpr const char* unread_from_disk = " is not on the disk as an earlier run wrote it";

/// What the user has asked to see, on standard output, as it is. Throws Error (runtime).
void print_result(std::string_view text);

}  // namespace phalanx
