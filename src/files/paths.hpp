// Names of files and of the folders that hold them.
#pragma once

#include <string>

#include "files/file_descriptor.hpp"

namespace phalanx {

/// The suffix of a partial file's name.
inline constexpr const char* partial_suffix = ".phalanx-partial";

/// "" or "a/" before the name of the file.
[[nodiscard]] std::string folder_of(const std::string& path);

/// What is before the last slash, "" where there is none.
[[nodiscard]] std::string parent_name_of(const std::string& name);

/// The name behind the last slash.
[[nodiscard]] std::string last_name_of(const std::string& path);

/// The folder that holds `path`, open; closed where it cannot be opened.
[[nodiscard]] FileDescriptor open_folder_of(const std::string& path);

/// fsync of the open folder that holds `path`: makes names created, renamed or removed in it durable. Whether they are: some
/// file systems do not do that. Throws Error (runtime).
bool sync_folder(const FileDescriptor& folder, const std::string& path);

/// fsync of the folder that holds `path`, where it can be opened: makes names created, renamed or removed in it durable.
/// Whether they are. Throws Error (runtime).
bool sync_folder_of(const std::string& path);

}  // namespace phalanx
