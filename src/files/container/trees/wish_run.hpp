// A run finds containers that earlier runs sealed for other recipients, or bound otherwise. It tells them, or gives them
// other headers, and the record of the folder knows what is there (tree_wish.hpp).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "files/container/trees/sealing_settings.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/container/trees/tree_record.hpp"
#include "files/container/trees/tree_wish.hpp"
#include "files/container/trees/wished_recipients.hpp"

namespace phalanx {

/// Any number of threads may use it between `begin` and `end`.
class WishRun {
 public:
  /// The settings stay the caller's; they are read from `begin` on.
  explicit WishRun(const TreeSealing& sealing) : sealing_(sealing) {}

  /// Takes the folder of the containers, its record as it is now, and the identity of the folder that they are of. Without
  /// this call there is no record, and only trials that cost next to nothing are made on each container.
  void begin(const RootedFolder& to, const TreeRecord& record, const LastingIdentity& from);

  /// Comes before a container is sealed for the run's recipients: from then on not all may be alike. Throws as
  /// TreeRecord::write.
  void before_sealing();

  /// Takes a container that stands for its file. Returns false where it is to be sealed anew. `job` has its binding.
  [[nodiscard]] bool take(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed,
                          Progress& progress);
  /// Takes a container whose file is gone, which cannot be sealed anew.
  void take_kept(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed, Progress& progress);

  /// Returns the wish for the record; "" keeps the present one. Tells which containers are not as the options ask.
  [[nodiscard]] std::string end(TreeCounts& counts);

 private:
  enum class Before : unsigned char {
    no_record,
    silent,  ///< no wish is recorded: an earlier version wrote the record, or nothing is there
    same,
    other,
  };

  [[nodiscard]] bool is_bound_as_asked(const ResultPlace& place) const;
  [[nodiscard]] bool bring(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed,
                           Progress& progress);
  void count(RecipientsFit fit);
  [[nodiscard]] std::string end_update(TreeCounts& counts) const;
  void tell_others(TreeCounts& counts) const;
  [[nodiscard]] std::string end_silent(TreeCounts& counts) const;
  [[nodiscard]] std::string end_other(TreeCounts& counts) const;
  [[nodiscard]] std::string wish() const { return make_tree_wish(sealing_.job, sealing_.options.bind_names); }
  [[nodiscard]] std::string to_run() const { return std::string("; ") + sealing_.names.update_recipients; }

  const TreeSealing& sealing_;
  const RootedFolder* to_ = nullptr;
  LastingIdentity from_{};
  Before before_ = Before::no_record;
  bool is_mixed_ = false;
  std::mutex mutex_;
  std::uint64_t num_left_ = 0;     // containers that are, or may be, for other recipients
  std::uint64_t num_unknown_ = 0;  // containers whose recipients nobody can tell
  std::uint64_t num_stuck_ = 0;    // containers that no header and no file can change
};

}  // namespace phalanx
