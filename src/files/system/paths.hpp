// Names of files and of the folders that hold them.
#pragma once

#include <string>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// The suffixes of the names of what stands beside a file while it is made: the partial file, the record that lets a later
/// run go on with it, the journal of one that is crypted in place, the headers of one that gets another.
inline constexpr const char* partial_suffix = ".phalanx-partial";
inline constexpr const char* record_suffix = ".phalanx-record";
inline constexpr const char* journal_suffix = ".phalanx-journal";
inline constexpr const char* header_suffix = ".phalanx-header";
inline constexpr const char* renewed_suffix = ".phalanx-renewed";

/// Whether it is the name of such a file.
[[nodiscard]] bool is_unfinished(const std::string& name);

/// A file's name as a caller gives it, where "-" is a file of that name. Throws Error (usage) for none.
[[nodiscard]] std::string file_named(const std::string& path);

/// The same name, "-" too, which may be standard input. Throws Error (usage) for an empty one: a variable may be unset.
const std::string& require_named(const std::string& path);

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
