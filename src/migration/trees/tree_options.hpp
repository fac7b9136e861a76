// What one migration of many files is told.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "files/output/atomic_file.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

/// What whoever asked calls what they set, for messages.
struct TreeSettingNames {
  const char* from = "the folder of the old files";
  const char* to = "folder for the containers";
  const char* in_to = "the folder for the containers";  ///< the same, at the beginning of a sentence
  const char* jobs = "files at once";
  OutputSettingNames output{};
};

/// How the files are opened and sealed, and what is verified, Migration says.
struct TreeOptions {
  std::string from = ".";           ///< the folder of the old files
  std::string to{};                 ///< that of the containers
  std::string manifest{};           ///< the file that holds it
  std::optional<std::string> list;  ///< a file that names the only old files that are meant, below `from`
  bool null = false;                ///< the list's names end with a zero byte, not with a line's end
  bool only_reads = false;          ///< nothing is made, not even a folder
  bool force = false;               ///< replace what has a container's name
  bool delete_source = false;
  bool delete_doubtful = false;
  bool keep_going = false;     ///< even if most files cannot be opened
  std::size_t num_jobs = 0;    ///< files at once; 0: as many as are usual
  std::size_t usual_jobs = 1;  ///< or more, where `place` takes more
  RunPlace* place = nullptr;   ///< the caller's; nullptr: none
  TreeSettingNames names{};
};

}  // namespace phalanx
