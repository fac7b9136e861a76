// The record .phalanx-tree in a folder of containers says what runs over each folder have made there. Only containers that
// it names are ever removed, and only where it shows that a folder is the same as before (folder_sameness.hpp).
//
// The record is text. The first line is "phalanx tree 2". Each run appends lines, and then one that has its number and their
// SHA-256. If a kill leaves lines without that one, they are cut off. A run that finds nothing new appends nothing. If more
// lines are stale than not, the record is written anew, beside itself, and takes its own name. A name in it has %XX for each
// byte that is no printable character of ASCII, or is a space or %.
//
//   folder INODE BORN PATH     the lines behind it are of the section of this folder; PATH is for messages
//   renew INODE BORN PATH      this folder is now that one: it was restored, or moved
//   latest TIME                the last change of a folder in it that a run has seen
//   wish WORDS                 how its containers are to be sealed
//   file NAME BYTES MODIFIED INODE BORN SINCE   the file whose container is NAME.phalanx, and since which run it is so
//   missing NAME SINCE         the first run that did not find it
//   gone NAME                  its container is none of ours any more
//   sub NAME, nosub NAME       a folder in it; no more
//   mount NAME INODE BORN, nomount NAME
//   told NAME, untold NAME     a container that stays, and that the user was told of
//   run NUMBER SHA256
//
// Times are seconds and nanoseconds, "1767323045.678901234"; BORN is "-" where the file system does not say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/container/file/tree_run.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

/// Describes a file when its container was made or found right.
struct RecordedSource {
  std::uint64_t bytes = 0;
  timespec modified{};
  LastingIdentity file{};

  [[nodiscard]] bool operator==(const RecordedSource& other) const;
  /// Says whether it is that very file, changed or not, by inode and birth, or by size and time where no birth is known.
  [[nodiscard]] bool is_same_file(const RecordedSource& other) const;
};

struct RecordedFile {
  RecordedSource source{};
  std::uint64_t since = 0;    ///< the run since which it has been that very file, and there in each run
  std::uint64_t missing = 0;  ///< the first run that did not find it; 0: it is there
};

using Names = std::set<std::string, std::less<>>;

/// Holds what runs over one folder have made.
struct TreeSection {
  LastingIdentity folder{};
  std::string path{};
  std::string wish{};
  timespec latest{};  ///< the last time at which a folder was changed that a run has seen
  std::map<std::string, RecordedFile, std::less<>> files{};  ///< files by their names below the folder
  Names subfolders{};
  std::map<std::string, LastingIdentity, std::less<>> mounts{};
  Names told{};

  [[nodiscard]] std::size_t num_lines() const;
};

class TreeRecord {
 public:
  /// Reads the record of a folder, and locks other runs out while it lives. `to` stays the caller's. Throws Error: usage
  /// where another run has it, or the file of its name is no record; runtime.
  explicit TreeRecord(const RootedFolder& to);

  /// Says whether a folder has a record of any version.
  [[nodiscard]] static bool is_there(const RootedFolder& to);

  [[nodiscard]] bool is_new() const { return !descriptor_.is_open(); }
  /// Says whether an earlier version wrote it, which names no files.
  [[nodiscard]] bool is_earlier() const { return is_earlier_; }
  [[nodiscard]] std::uint64_t run_number() const { return last_run_ + 1; }
  [[nodiscard]] const std::vector<TreeSection>& sections() const { return sections_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the section of a folder, or nullptr if there is none. It changes with the calls below, and moves with enter.
  [[nodiscard]] const TreeSection* find(const LastingIdentity& folder) const;

  /// Enters the section of a folder, or a new one: the following calls are about it.
  const TreeSection& enter(const LastingIdentity& folder, const std::string& path);
  /// Makes the section of another folder this one's, with forget_since. It is the section with this path, or the only one.
  /// Throws Error (usage) where it cannot tell which.
  void renew(const LastingIdentity& folder, const std::string& path);

  void put_wish(const std::string& wish);
  void put_latest(const timespec& changed);
  /// Counts all files as there since this run, so that they prove nothing about files that are gone by now.
  void forget_since() { is_renewed_ = true; }
  /// Records a file whose container was found right, or made. No other folder's section has it any more.
  void put_file(const std::string& name, const RecordedSource& source);
  void put_missing(const std::string& name);
  void remove_file(const std::string& name);
  void put_subfolders(const Names& names);
  void put_mount(const std::string& name, const LastingIdentity& mounted);
  void remove_mount(const std::string& name);
  void put_told(const Names& names);

  /// Appends the changes and makes them durable. Throws Error (runtime).
  void write();

 private:
  [[nodiscard]] TreeSection& current() { return sections_.at(current_); }
  using Fields = std::vector<std::string_view>;

  void open();
  void read();
  void find_end();
  void select(const LastingIdentity& folder, const std::string& path);
  void take_from_others(const std::string& name);
  void put_names(const Names& before, const Names& now, const char* added, const char* removed);
  void add(const std::string& line);
  void apply(std::string_view line);
  void apply_to_section(const Fields& fields);
  void apply_name(std::string_view word, const std::string& name);
  [[nodiscard]] bool only_entered() const;
  void append();
  void write_anew();
  [[nodiscard]] std::string all_lines() const;
  [[nodiscard]] std::string ending(std::string_view lines) const;
  [[noreturn]] void throw_damaged() const;

  const RootedFolder& to_;
  std::string path_;
  FileDescriptor descriptor_;
  bool is_earlier_ = false;
  std::vector<TreeSection> sections_;
  std::size_t current_ = 0;
  std::uint64_t last_run_ = 0;
  std::uint64_t end_ = 0;        // end of the whole part
  std::uint64_t num_lines_ = 0;  // lines that were read
  std::string added_;            // lines of this run
  std::uint64_t num_added_ = 0;
  bool has_new_section_ = false;
  bool is_renewed_ = false;
};

}  // namespace phalanx
