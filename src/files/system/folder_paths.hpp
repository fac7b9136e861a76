// This makes and compares folders by their whole paths.
#pragma once

#include <string>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// Returns an absolute path without symbolic links, so that a folder is known again wherever a command is given. A folder
/// that is not there yet is taken as it is written, unless `must_exist` makes that an error. Throws Error (runtime).
[[nodiscard]] std::string real_path(const std::string& folder, bool must_exist);

/// Says whether a folder is another or lies in it, by identity and not by name. If `path` is not there yet, the folder
/// counts that it would be made in.
[[nodiscard]] bool lies_in(const std::string& path, const FileIdentity& folder);

/// Makes a folder and those it lies in, and syncs each, so that files in it can be durable. Returns whether all that it made
/// are durable. Throws Error (runtime).
bool make_folders(const std::string& folder);

}  // namespace phalanx
