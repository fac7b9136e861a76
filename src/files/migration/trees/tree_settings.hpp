// These are the settings of one migration of many files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <phalanx/files/migration.hpp>
#include <string>
#include <thread>

#include "files/container/index/tree_index_run.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/output/atomic_file.hpp"

namespace phalanx {

/// The names that messages have for the settings. A user of the program knows them by other words than a caller of the
/// library does.
struct TreeSettingNames {
  const char* to = "folder for the containers";
  const char* jobs = "files at once";
  const char* delete_volatile = "`delete_volatile`";
  OutputSettingNames output{};
};

/// Migration says how the files are opened and sealed, and what is verified.
struct TreeMigrationSettings {
  std::string from = ".";           ///< the folder of the old files
  std::string to{};                 ///< that of the containers; "" where nothing is made: not known yet
  std::string manifest{};           ///< the file that holds it; "" for a preview: there is none
  std::optional<std::string> list;  ///< a file that names the only old files that are meant, below `from`
  bool null = false;                ///< the list's names end with a zero byte, not with a line's end
  bool only_reads = false;          ///< nothing is made, not even a folder
  /// These are the options as they were given. Migration has those for the sealing and the opening of a file.
  TreeMigrationOptions options{};
  std::size_t usual_jobs = 1;       ///< or more, where `executor` takes more
  RunExecutor* executor = nullptr;  ///< the caller's; nullptr: none
  TreeIndexRun* index = nullptr;    ///< the caller's, of the containers; nullptr: none
  TreeSettingNames names{};
};

/// Returns how many of so many files are worked on at once.
[[nodiscard]] inline unsigned num_jobs_of(const TreeMigrationSettings& settings, std::size_t num_files) {
  constexpr unsigned most_usual_jobs = 4;
  const std::size_t usual =
      std::max<std::size_t>(settings.usual_jobs, std::clamp(std::thread::hardware_concurrency(), 1u, most_usual_jobs));
  const std::size_t wanted = settings.options.num_jobs != 0 ? settings.options.num_jobs : usual;
  return static_cast<unsigned>(std::min(wanted, std::max<std::size_t>(1, num_files)));
}

}  // namespace phalanx
