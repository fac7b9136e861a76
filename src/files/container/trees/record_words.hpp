// The lines of a tree's record consist of these words (tree_record.hpp).
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// This is thrown by functions that read a line that no program of ours has written.
struct BadLine {};

/// Throws BadLine unless it is good.
void require_line(bool good);

/// Returns a name with %XX for each byte that is no printable character of ASCII, or is a space or %. The empty name is "%".
[[nodiscard]] std::string escape(const std::string& name);
/// Returns the name. Throws BadLine.
[[nodiscard]] std::string unescape(std::string_view escaped);
/// Returns a name below a folder, which does not lead out of it. Throws BadLine.
[[nodiscard]] std::string name_below(std::string_view escaped);

/// Throws BadLine.
[[nodiscard]] std::uint64_t number_of(std::string_view digits, int base = 10);

/// Returns seconds and nanoseconds: "1767323045.678901234".
[[nodiscard]] std::string words_of(const timespec& time);
/// Throws BadLine.
[[nodiscard]] timespec time_of(std::string_view words);

/// Returns "INODE BORN".
[[nodiscard]] std::string words_of(const LastingIdentity& identity);
/// Throws BadLine.
[[nodiscard]] LastingIdentity identity_of(std::string_view inode, std::string_view born);

/// Returns the words between the spaces of a line.
[[nodiscard]] std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace phalanx
