// Folders by their whole paths: made, and compared.
#pragma once

#include <string>

#include "files/system/file_identity.hpp"

namespace phalanx {

/// An absolute path without links, so that a folder is known again wherever a command is given. One that is not there yet,
/// which `must_exist` allows to be an error, is taken as it is written. Throws Error (runtime).
[[nodiscard]] std::string real_path(const std::string& folder, bool must_exist);

/// Whether a path is that of the folder, or lies in it. Both are real paths.
[[nodiscard]] bool is_below(const std::string& path, const std::string& folder);

/// Whether a folder is another or lies in it, by what they are and not by their names. Where `path` is not there yet, the
/// folder counts that it would be made in.
[[nodiscard]] bool lies_in(const std::string& path, const FileIdentity& folder);

/// Makes a folder and those it lies in, each of them durable, for what is put into it is: whether all that it made are.
/// Throws Error (runtime).
bool make_folders(const std::string& folder);

}  // namespace phalanx
