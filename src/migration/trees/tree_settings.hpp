// What one migration of many files is told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "container/index/tree_index_run.hpp"
#include "files/output/atomic_file.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

/// What whoever asked calls what they set, for messages.
struct TreeSettingNames {
  const char* from = "the folder of the old files";
  const char* to = "folder for the containers";
  const char* in_to = "the folder for the containers";  ///< the same, at the beginning of a sentence
  const char* jobs = "files at once";
  const char* delete_volatile = "`delete_volatile`";
  OutputSettingNames output{};
};

/// How the files are opened and sealed, and what is verified, Migration says.
struct TreeMigrationSettings {
  std::string from = ".";                     ///< the folder of the old files
  std::string to{};                           ///< that of the containers; "" where nothing is made: not known yet
  std::string manifest{};                     ///< the file that holds it; "" for a preview: there is none
  std::optional<std::string> list;            ///< a file that names the only old files that are meant, below `from`
  std::vector<std::string> strip_suffixes{};  ///< taken off old names before .phalanx is put behind them
  bool null = false;                          ///< the list's names end with a zero byte, not with a line's end
  bool only_reads = false;                    ///< nothing is made, not even a folder
  bool force = false;                         ///< replace what has a container's name
  bool delete_source = false;
  bool delete_doubtful = false;
  bool delete_volatile = false;   ///< also where the containers lie in memory
  bool keep_going = false;        ///< even if most files cannot be opened
  std::size_t num_jobs = 0;       ///< files at once; 0: as many as are usual
  std::size_t usual_jobs = 1;     ///< or more, where `place` takes more
  RunPlace* place = nullptr;      ///< the caller's; nullptr: none
  TreeIndexRun* index = nullptr;  ///< the caller's, of the containers; nullptr: none
  TreeSettingNames names{};
};

/// How many of so many files are worked on at once.
[[nodiscard]] inline unsigned num_jobs_of(const TreeMigrationSettings& options, std::size_t num_files) {
  constexpr unsigned most_usual_jobs = 4;
  const std::size_t usual =
      std::max<std::size_t>(options.usual_jobs, std::clamp(std::thread::hardware_concurrency(), 1u, most_usual_jobs));
  const std::size_t wanted = options.num_jobs != 0 ? options.num_jobs : usual;
  return static_cast<unsigned>(std::min(wanted, std::max<std::size_t>(1, num_files)));
}

}  // namespace phalanx
