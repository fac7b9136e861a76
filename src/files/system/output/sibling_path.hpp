// The names of the files that stand beside another while it is made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace phalanx {

/// How many bytes the file system of a path takes in one name.
[[nodiscard]] std::size_t longest_name_at(const std::string& path);

/// `path` with a suffix behind its name. Where that name would be too long, its end gives way to a digest of the whole: so
/// another run finds the same one, and no other file has it.
[[nodiscard]] std::string sibling_path(const std::string& path, std::string_view suffix);

}  // namespace phalanx
