// This decides whether a container that is there stands for its file.
#pragma once

#include "files/container/results/found_file.hpp"
#include "files/container/results/result_places.hpp"
#include "files/container/trees/sealing_settings.hpp"
#include "files/system/file_attributes.hpp"
#include "files/system/input.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

enum class SyncState : unsigned char {
  new_one,      ///< none is there
  replaced,     ///< it is replaced
  unchanged,    ///< it is up to date, as `update` compares
  done_before,  ///< it is up to date; without `update`
  changed,      ///< its size, time or binding differ; without `update`
  unknown,      ///< it is neither the index's container nor of this content; without `update`
};

/// Any number of threads may use it.
class ContainerStandings {
 public:
  /// The settings stay the caller's.
  explicit ContainerStandings(const TreeSealing& sealing) : sealing_(sealing) {}

  /// Judges the container at the place of this file, which is open. An unchanged one gets the permissions and the time of
  /// the file as they are now. Throws Error: usage where it is no container, and is not to be replaced; runtime.
  [[nodiscard]] SyncState judge(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                                Progress& progress);

  [[nodiscard]] ResultTimes& times() { return times_; }
  [[nodiscard]] mode_t umask() const { return umask_; }  ///< as it was when the run began

 private:
  [[nodiscard]] SyncState judge_container(Input& input, const ListedFile& file, const ResultPlace& place,
                                          const FoundFile& found, Progress& progress);
  [[nodiscard]] bool is_known(const ListedFile& file, const ResultPlace& place);
  [[nodiscard]] bool holds_the_same(Input& input, const ListedFile& file, const ResultPlace& place, Progress& progress);
  [[nodiscard]] bool mend(const FileAttributes& wanted, const ResultPlace& place, const FoundFile& found);

  const TreeSealing& sealing_;
  const mode_t umask_ = process_umask();
  ResultTimes times_;
};

}  // namespace phalanx
