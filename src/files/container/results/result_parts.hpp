// Where the results of several sources go: each folder that is named keeps its name, so that nothing of two is mixed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/system/protected_files.hpp"

namespace phalanx {

/// Those sources of a run whose results go into one folder.
struct ResultPart {
  std::vector<std::string> from;
  std::optional<std::string> to{};      ///< nothing: each result is beside its file
  std::string place{};                  ///< `to` below the folder of all results; "" where it is that folder
  std::optional<std::string> within{};  ///< the folder of all results, where there are several parts
};

/// Several sources with a folder among them, and a folder `to` (nullptr: none), are several parts. Each folder is one: its
/// results lie below `to` in a folder of its last name. The files that are named are the first part, and their results lie
/// in `to` itself. Otherwise all sources are one part. Throws Error (usage) where two of several sources have one name, one
/// has none, or `to` and a folder lie in each other.
[[nodiscard]] std::vector<ResultPart> parts_of(std::span<const std::string> from, const std::string* to);

/// Protects the files that are named besides folders. Such a file is read, and is no result of a folder.
void protect_named_files(std::span<const ResultPart> parts, ProtectedFiles& needed);

/// Throws Error (usage) where containers of earlier runs lie otherwise below `to`: those of one folder straight in it, and
/// those of several each below its name. A restore would give both.
void refuse_other_layout(std::span<const ResultPart> parts, const std::string& to);

}  // namespace phalanx
