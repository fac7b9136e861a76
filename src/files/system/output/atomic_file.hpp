// An atomic file appears under its name only when it is complete.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "engine/host/process_mark.hpp"
#include "files/system/file_attributes.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/output/output_mapping.hpp"
#include "files/system/output/shared_sync.hpp"
#include "files/system/paths.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/rooted_folder.hpp"
#include "files/system/signals.hpp"

namespace phalanx {

/// This is a file that is written by position. Any number of threads may write at once.
class WrittenFile {
 public:
  virtual ~WrittenFile() = default;
  [[nodiscard]] virtual int descriptor() const = 0;
  [[nodiscard]] virtual const std::string& partial_path() const = 0;  ///< the path where it lies now
  virtual void write_at(Bytes in, std::uint64_t position) = 0;
  virtual void sync() = 0;  ///< makes the written bytes durable. Throws Error (runtime)
};

/// Names these settings as the caller does, for messages. The default is the library's names.
struct OutputSettingNames {
  const char* force = "`replace`";
  const char* resume = "`resume`";
  /// Names the setting that gives every input an OUT of its own, which the user may have meant where OUT exists. nullptr:
  /// none.
  const char* each = nullptr;
};

/// Says by the content of an open partial file whether a killed run can have left it.
using LeftoverTest = bool(int descriptor);

struct AtomicFileOptions {
  bool replace = false;                    ///< replace the file `replaced`, and a partial file that a killed run left
  bool can_resume = false;                 ///< the caller could have set `resume`: a signal's message says so
  bool resume = false;                     ///< continue the partial file that is there; keep it when the run ends early
  mode_t mode = 0666;                      ///< mode of a new file, less the umask
  std::optional<mode_t> umask{};           ///< the process's, where the caller knows it
  std::optional<FileAttributes> widest{};  ///< limits a new file's rights
  bool keep_attributes = true;             ///< keep permissions and extended attributes of a replaced file
  bool keep_mode = true;                   ///< otherwise keep only the extended attributes
  std::optional<timespec> modified{};      ///< the time that it gets before it takes its name
  bool is_attacker_writable = false;       ///< the replaced file is another user's: only the limits of its rights pass on
  std::optional<FileIdentity> replaced{};  ///< the file at PATH when it was looked at; nothing: no such file
  std::optional<uid_t> heir{};             ///< where `replaced` is nothing: the user to whom root gives it on commit
  LeftoverTest* is_leftover = nullptr;     ///< with `replace`: judges a partial file; nullptr: any of ours is a killed run's
  std::shared_ptr<const HeldFolder> folder{};  ///< the folder of PATH, where it is open already
  const ProtectedFiles* needed = nullptr;      ///< never taken for a partial file; the caller's
  SharedSync* shared = nullptr;                ///< makes it durable, together with other files of the run; the caller's
  OutputSettingNames names{};
};

/// Writes PATH.phalanx-partial, and renames it to PATH on commit. Only its owner may read it until then. It is removed if
/// the object is destroyed before, or if a signal ends the program. A killed run (SIGKILL, power) leaves it. A partial file
/// that is there already is never overwritten unasked: it is an Error (usage). With `replace` it is removed, unless the run
/// that writes it is still alive (it holds a lock). With `resume` it is opened as it is, and only commit takes its name
/// away.
///
/// Other programs may rename, replace or remove any of the names meanwhile. Before a name is removed or renamed, it must
/// still be that of our file. A process that was forked meanwhile removes and renames nothing.
class AtomicFile : public WrittenFile {
 public:
  /// `path` is not a symbolic link (see path_safety.hpp). Throws Error: usage where the partial file is another's, or cannot
  /// be continued safely; runtime if it cannot be created or locked.
  AtomicFile(std::string path, const AtomicFileOptions& options);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] int descriptor() const override { return file_.get(); }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& partial_path() const override { return partial_path_; }

  /// Returns the stamp of the file under its name, once commit has returned.
  [[nodiscard]] const FileStamp& committed_stamp() const { return committed_stamp_; }

  /// Returns the names of the extended attributes that were to be kept, but could not be, once commit has returned.
  [[nodiscard]] const std::vector<std::string>& lost_attributes() const { return lost_attributes_; }

  /// Says whether commit has made the name durable. It has not where the folder cannot be opened, or its file system does
  /// not do that.
  [[nodiscard]] bool is_name_durable() const { return is_name_durable_; }

  /// Returns the bytes that an earlier run had written, for `resume`, or 0 if there was no partial file.
  [[nodiscard]] std::uint64_t found_bytes() const { return found_bytes_; }

  /// The first says whether a sync of the found bytes succeeded before anything was read of them. The second says where they
  /// were read from then. The system reports a failure once: a failure that an earlier run was told is not reported again.
  [[nodiscard]] bool is_found_durable() const { return is_found_durable_; }
  [[nodiscard]] ContentSource found_source() const { return found_source_; }

  [[nodiscard]] const OutputSettingNames& names() const { return options_.names; }

  /// Says whether a file had its name when that was looked at.
  [[nodiscard]] bool replaces_one() const { return options_.replaced.has_value(); }

  /// Returns the files that are never taken for one of this run. It may be nullptr.
  [[nodiscard]] const ProtectedFiles* needed() const { return options_.needed; }

  /// Says whether the partial file stays if this object is destroyed before commit.
  [[nodiscard]] bool is_kept() const { return is_kept_; }

  /// Removes the partial file, unless it is kept. Returns whether nothing has its name then.
  [[nodiscard]] bool remove_unless_kept() const noexcept;

  /// Says whether it was opened so that later runs can continue it: a signal leaves it then.
  [[nodiscard]] bool is_resumed() const { return options_.resume; }

  /// Returns its size, if nobody but us changes it.
  [[nodiscard]] std::uint64_t size_bytes() const { return expected_bytes_; }

  /// Makes it so long, and takes room for it on the disk where the file system can, so that a full disk shows before the
  /// work. Throws Error (runtime). Never makes it shorter.
  void reserve(std::uint64_t num_bytes);

  /// Makes it so long, and takes no room. Throws Error (runtime). Never makes it shorter.
  void grow(std::uint64_t num_bytes);

  /// Writes at a position. Any number of threads may call it at once. Throws Error: runtime, also where another program has
  /// changed the size of the partial file; usage in a process that was forked since.
  void write_at(Bytes in, std::uint64_t position) override;

  /// Appends bytes. One thread at a time may call it.
  void append(Bytes in) { write_at(in, expected_bytes_); }

  /// Counts bytes that another process has appended through the descriptor.
  void count_appended(std::uint64_t num_bytes) {
    expected_bytes_ += num_bytes;
    is_written_ = true;
  }

  /// Makes the written bytes durable. If that fails in a file that an earlier run began, nothing of it is trusted any more,
  /// and it is removed with this object. Throws Error (runtime).
  void sync() override;

  /// Makes a hole in it, and returns whether the file system can. The file keeps its size.
  [[nodiscard]] bool make_hole(std::uint64_t begin, std::uint64_t end);

  /// Removes the file of an earlier run, which is not trusted, and begins a new, empty file under the same name.
  void begin_anew();

  /// Cuts the file. Throws as write_at.
  void truncate(std::uint64_t num_bytes);

  /// Gives up a partial file that is not worth continuing: it is removed with this object after all.
  void discard() { is_kept_ = false; }

  /// Gives the file these attributes when it is committed, instead of those of the options.
  void keep_attributes(FileAttributes attributes) { attributes_ = std::move(attributes); }

  /// The file `replaced` must still be as it is here when it is replaced, so that another program's writes to it are not
  /// lost.
  void replace_only(const FileStamp& as) { replaced_as_ = as; }

  /// Makes the data durable, then the name: fsync, permissions and rename, fsync of both. Throws Error with these codes:
  /// - usage: PATH has appeared or changed since it was looked at, or the process was forked since
  /// - runtime: the partial file is no longer under its name
  void commit();

 private:
  bool open_existing();
  void create();
  void open_new();
  void remove_stale() const;
  [[nodiscard]] std::optional<uid_t> final_owner() const;
  void lock() const;
  void require_size() const;
  void make_longer(std::uint64_t num_bytes);
  [[nodiscard]] SharedSync::Synced make_durable();
  [[noreturn]] void throw_lost();
  void set_final_attributes();
  [[nodiscard]] bool set_permissions(const std::optional<FileAttributes>& kept) const;
  void take_name();
  void require_partial_name() const;
  void rename_to_path() const;
  void rename_to_new_name() const;
  [[nodiscard]] std::optional<FileIdentity> identity_of_partial() const;
  void remove_partial() const noexcept;  // if its name is still that of the file
  void give_folder_up() const;

  std::string path_;
  std::string partial_path_;
  AtomicFileOptions options_;
  int at_;                  // the folder that the next two are names in, or AT_FDCWD, where they are paths
  std::string name_in_;     // of PATH
  std::string partial_in_;  // of the partial file
  ProcessMark process_;
  mode_t umask_;           // the umask when the file was begun
  FileDescriptor folder_;  // closed where the folder may not be read, or `shared` syncs the whole file system
  FileDescriptor file_;
  FileIdentity identity_;
  FileStamp committed_stamp_;
  std::optional<FileStamp> replaced_as_;
  std::optional<FileAttributes> attributes_;
  std::vector<std::string> lost_attributes_;
  std::optional<RemoveOnSignal> removal_;
  std::optional<SignalNote> note_;
  std::uint64_t found_bytes_ = 0;
  bool is_found_durable_ = true;
  ContentSource found_source_ = ContentSource::disk;
  std::uint64_t expected_bytes_ = 0;        // the size, if nobody but us changes it
  std::mutex size_mutex_;                   // held while several threads write
  std::unique_ptr<OutputMapping> mapping_;  // mapping of the reserved part, where that is faster
  std::atomic<bool> is_written_ = true;     // something may have been written since the last sync
  bool is_kept_ = false;
  bool committed_ = false;
  bool is_name_durable_ = false;
};

}  // namespace phalanx
