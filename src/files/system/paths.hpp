// These are names of files and of the folders that hold them.
#pragma once

#include <string>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// These are the suffixes of the files that stand beside another while it is made. They are the partial file, the record
/// that lets a later run go on with it, the journal of a run in place, and the headers of a rewrite.
inline constexpr const char* partial_suffix = ".phalanx-partial";
inline constexpr const char* record_suffix = ".phalanx-record";
inline constexpr const char* journal_suffix = ".phalanx-journal";
inline constexpr const char* header_suffix = ".phalanx-header";
inline constexpr const char* renewed_suffix = ".phalanx-renewed";

/// Says whether it is the name of such a file.
[[nodiscard]] bool is_unfinished(const std::string& name);

/// Returns a file's name as a caller gives it, where "-" is a file of that name. Throws Error (usage) for an empty one.
[[nodiscard]] std::string file_named(const std::string& path);

/// Returns the name, "-" too, which may be standard input. Throws Error (usage) for an empty one: a variable may be unset.
const std::string& require_named(const std::string& path);

/// Returns "" or "a/" before the name of the file.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Returns the part before the last slash, or "" where there is none.
[[nodiscard]] std::string parent_name_of(const std::string& name);

/// Returns the name behind the last slash.
[[nodiscard]] std::string last_name_of(const std::string& path);

/// Opens the folder that holds `path`. The descriptor is closed where that fails.
[[nodiscard]] FileDescriptor open_folder_of(const std::string& path);

/// Syncs the open folder that holds `path`, so that names created, renamed or removed in it are durable. Returns whether
/// they are: some file systems do not do that. Throws Error (runtime).
bool sync_folder(const FileDescriptor& folder, const std::string& path);

/// Does this for the folder that holds `path`, where it can be opened. Throws Error (runtime).
bool sync_folder_of(const std::string& path);

}  // namespace phalanx
