// OUT is where a command writes to.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/system/byte_stream.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/terminal_text.hpp"

namespace phalanx {

struct OutputOptions {
  bool force = false;             ///< replace a file, write to a block device
  bool can_resume = false;        ///< the caller could have set `resume`, and it would fit
  bool resume = false;            ///< continue OUT.phalanx-partial if it is there, and keep it if the run ends early
  bool binary = true;             ///< not for a terminal
  bool text_on_terminal = false;  ///< with `binary`: allow a terminal after all if the output is text, and short
  bool made_up = false;           ///< the user did not give this name: only a regular file may have it
  bool file_only = false;         ///< a regular file or an inherited descriptor, but no pipe or device that has a name
  mode_t mode = 0666;             ///< mode of a new file, less the umask
  std::optional<mode_t> umask{};  ///< the process's, where the caller knows it
  std::optional<FileAttributes> widest{};       ///< limits a new file's rights
  bool is_widest_of_new = false;                ///< limits a new file alone: one that is replaced keeps its own rights
  bool keep_attributes = true;                  ///< keep permissions and extended attributes of a replaced file
  bool keep_mode = true;                        ///< otherwise keep only the extended attributes
  std::optional<timespec> modified{};           ///< the time that a file gets before it takes its name
  bool takes_partial = false;                   ///< replace a partial file that a killed run left, without `force` too
  LeftoverTest* is_leftover = nullptr;          ///< of AtomicFileOptions
  std::optional<uid_t> heir{};                  ///< of AtomicFileOptions
  std::optional<FileStamp> replaces{};          ///< with `force`: no other file than this, as it is now
  std::shared_ptr<const HeldFolder> free_in{};  ///< with `made_up`: its folder, in which the name was free a moment ago
  const ProtectedFiles* needed = nullptr;       ///< files that OUT never is; the caller's
  SharedSync* shared = nullptr;                 ///< makes it durable, together with other files of the run; the caller's
  bool is_brief = false;                        ///< made so fast that a later run begins it anew: nothing is done for a kill
  OutputSettingNames names{};
};

/// Gives the file the mode of this one, less the umask and never wider, and its time.
void keep_mode_and_time(FileAttributes of, OutputOptions& options);

/// Does this for an input that is a named file, and an output that the user named: only a new file gets the mode. Without
/// `with_time` the time is left as it comes.
void keep_of_named(const Input& input, bool with_time, OutputOptions& options);

/// Writes a regular file, which appears only when it is complete (AtomicFile). It writes straight to a device, a pipe, an
/// inherited descriptor or standard output ("-" or ""). Output that is for a terminal if it is text is written only on
/// commit.
class Output : public ByteSink {
 public:
  /// Decides which, and creates nothing yet. Throws Error (usage) in these cases:
  /// - OUT is the same file or device as the input or as another that the run needs
  /// - OUT exists and `force` is not given, or it is a folder or a socket
  /// - OUT is a terminal and the output binary
  /// - another user has put a pipe or a device there (NamedPlace::is_anothers)
  Output(const std::string& path, const OutputOptions& options, const Input* input = nullptr);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the last part of a file's name, or "" where OUT is written straight.
  [[nodiscard]] std::string own_name() const;

  /// Says whether it is held back until commit, since a terminal takes nothing but text. It is known once OUT is open.
  [[nodiscard]] bool is_held_back() const { return held_back_ != nullptr; }

  /// Says whether it is /dev/null, once open: bytes that are written there are gone, in whatever order.
  [[nodiscard]] bool is_null() const;

  /// Says whether a killed run that writes it can be continued.
  [[nodiscard]] bool can_resume() const { return options_.can_resume; }
  [[nodiscard]] bool is_brief() const { return options_.is_brief; }

  /// Opens or creates it, before the first write. Throws Error: runtime; usage for `resume` of an output that is no file.
  void open();

  /// Returns the file that will appear, once open, for callers that write to it by position, or nullptr if OUT is written
  /// straight.
  [[nodiscard]] const AtomicFile* file() const { return file_.get(); }
  [[nodiscard]] AtomicFile* file() { return file_.get(); }

  void write(Bytes in) override;

  /// Ends the output when all is written: the file takes its name.
  void commit();

 private:
  void check_existing();
  void check_straight() const;
  void refuse_needed_file(const Input* input) const;
  void check_terminal();
  void require_same_link() const;

  std::string name_;
  std::string linked_;  // the path that a symbolic link leads to
  NamedPlace place_;    // with symbolic links resolved
  OutputOptions options_;
  ProtectedFiles needed_;  // the input, and options_.needed
  bool straight_ = false;
  struct stat status_ {};  // status of the file that exists
  bool exists_ = false;
  FileDescriptor descriptor_;
  std::unique_ptr<TerminalText> held_back_;
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace phalanx
