// The words of which the lines of a tree's record are made (tree_record.hpp).
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// Thrown by what reads a line that no program of ours has written.
struct BadLine {};

/// Throws BadLine unless it is good.
void require_line(bool good);

/// A name with %XX for each byte that is no printable character of ASCII, or is a space or %; the empty one is "%".
[[nodiscard]] std::string escape(const std::string& name);
/// The name; throws BadLine.
[[nodiscard]] std::string unescape(std::string_view escaped);
/// A name below a folder, and nothing that leads out of it. Throws BadLine.
[[nodiscard]] std::string name_below(std::string_view escaped);

/// Throws BadLine.
[[nodiscard]] std::uint64_t number_of(std::string_view digits, int base = 10);

/// Seconds and nanoseconds: "1767323045.678901234".
[[nodiscard]] std::string words_of(const timespec& time);
/// Throws BadLine.
[[nodiscard]] timespec time_of(std::string_view words);

/// "INODE BORN".
[[nodiscard]] std::string words_of(const LastingIdentity& identity);
/// Throws BadLine.
[[nodiscard]] LastingIdentity identity_of(std::string_view inode, std::string_view born);

/// What stands between the spaces of a line.
[[nodiscard]] std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace phalanx
