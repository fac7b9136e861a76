// These are the names of the files that stand beside another while it is made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace phalanx {

/// No file system is asked for such a short name: even the shortest limit that fits our names is longer (eCryptfs: 143).
inline constexpr std::size_t short_name_bytes = 64;

/// Returns how many bytes the file system of a path takes in one name.
[[nodiscard]] std::size_t longest_name_at(const std::string& path);

/// Returns `path` with a suffix behind its name. If that name would be too long, a digest of the whole takes the place of
/// its end. So another run finds the same name, and no other file has it.
[[nodiscard]] std::string sibling_path(const std::string& path, std::string_view suffix);

}  // namespace phalanx
