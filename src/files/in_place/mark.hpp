// A mark on a file that is being crypted in place: where the journal lies that tells how far it is. The journal is found by
// the file's name; a file that was renamed, moved or linked since would be taken for one that nobody has begun, and crypted
// twice. So the mark is on the file itself, as an extended attribute of users, from before its first byte is overwritten
// until the last one is.
#pragma once

#include <cstdint>
#include <string>

namespace phalanx {

class InPlaceMark {
 public:
  /// Reads the mark of a file, open for writing, whose journal is to lie at `journal_path`. The descriptor stays the
  /// caller's. Throws Error (runtime) where it cannot be known whether the file has a mark.
  InPlaceMark(int file, std::string path, const std::string& journal_path);

  /// Returns why a run that finds no journal may not begin here: the file is marked as another journal's. Returns "" if
  /// it may. It also may where the mark is of this very journal, which somebody has removed.
  [[nodiscard]] std::string why_not_anew() const;

  /// Returns whether the file is marked as this very journal's.
  [[nodiscard]] bool is_own() const { return found_ == own_; }

  /// Marks the file, and makes that durable. Returns 0, or errno where the file system keeps no such attributes
  /// (is_kept_nowhere) or has no room for this one. Throws Error (runtime) where it fails otherwise.
  [[nodiscard]] int set();
  [[nodiscard]] static bool is_kept_nowhere(int error);

  /// Another program has made the file of `num_bytes` longer or shorter, and what we read of it is crypted: no run may begin
  /// on it again. Where the file system keeps no such attributes, nothing says so.
  void set_resized(std::uint64_t num_bytes, std::uint64_t num_now);

  /// Takes the mark away, and makes that durable. Throws Error (runtime).
  void remove();

 private:
  void make_durable() const;

  int file_;
  std::string path_;
  std::string own_;    // what we write: the folder's device and inode, and the journal's name
  std::string found_;  // what the file has; "" if it has none
};

}  // namespace phalanx
