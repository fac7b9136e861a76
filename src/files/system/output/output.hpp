// OUT: where a command writes to.
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
  bool can_resume = false;        ///< whoever asked could have set `resume`, and it would fit
  bool resume = false;            ///< continue OUT.phalanx-partial if it is there, and keep it if the run ends early
  bool binary = true;             ///< not for a terminal
  bool text_on_terminal = false;  ///< with `binary`: for one after all if all of it is text, and short
  bool made_up = false;           ///< the user did not give this name: a regular file, or nothing, has it
  bool file_only = false;         ///< or an inherited descriptor, but no pipe or device that has a name
  mode_t mode = 0666;             ///< of a new file, less the umask
  std::optional<FileAttributes> widest{};  ///< whose rights a new file's do not exceed
  bool is_widest_of_new = false;           ///< of a new file alone: one that is replaced keeps its own rights
  bool keep_attributes = true;             ///< of a file that is replaced: who may do what, and extended attributes
  bool keep_mode = true;                   ///< else of those only the extended attributes
  std::optional<timespec> modified{};      ///< the time that a file gets before it takes its name
  bool takes_partial = false;              ///< replace a partial file that a killed run left, without `force` too
  std::optional<FileStamp> replaces{};     ///< with `force`: no other file than this, as it is now
  const ProtectedFiles* needed = nullptr;  ///< what OUT is never; the caller's
  OutputSettingNames names{};
};

/// The file gets the mode of this one, less the umask and never wider, and its time.
void keep_mode_and_time(FileAttributes of, OutputOptions& options);

/// The same of an input that is a named file, for an output that the user named: only a new file gets the mode. Without
/// `with_time` the time is left as it comes.
void keep_of_named(const Input& input, bool with_time, OutputOptions& options);

/// A regular file, which appears only when it is complete (AtomicFile), or a device, a pipe, an inherited descriptor or
/// standard output ("-" or ""), written straight; but what is for a terminal if it is text, only on commit.
class Output : public ByteSink {
 public:
  /// Decides which, and creates nothing yet. Throws Error (usage) if OUT is the same file or device as the input or as
  /// another that the run needs, if it exists and `force` is not given, if it is a folder or a socket, if it is a terminal
  /// and the output binary, or if another user has put a pipe or a device there (NamedPlace::is_anothers).
  Output(const std::string& path, const OutputOptions& options, const Input* input = nullptr);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The last part of a file's name; "" where OUT is written straight.
  [[nodiscard]] std::string own_name() const;

  /// Whether it is held back until commit, since a terminal takes nothing but text. Known once open.
  [[nodiscard]] bool is_held_back() const { return held_back_ != nullptr; }

  /// Whether it is /dev/null, once open: what is written there is gone, in whatever order.
  [[nodiscard]] bool is_null() const;

  /// Whether a killed run that writes it can be continued.
  [[nodiscard]] bool can_resume() const { return options_.can_resume; }

  /// Opens or creates it, before the first write. Throws Error (runtime), and Error (usage) for `resume` of what is no file.
  void open();

  /// The file that will appear, once open, for those who write to it by position; nullptr if OUT is written straight.
  [[nodiscard]] const AtomicFile* file() const { return file_.get(); }
  [[nodiscard]] AtomicFile* file() { return file_.get(); }

  void write(Bytes in) override;

  /// All is written: the file takes its name.
  void commit();

 private:
  void check_existing();
  void check_straight() const;
  void refuse_needed_file(const Input* input) const;
  void check_terminal();
  void require_same_link() const;

  std::string name_;
  std::string linked_;  // where it leads, if it is a link
  NamedPlace place_;    // links resolved
  OutputOptions options_;
  ProtectedFiles needed_;  // the input, and options_.needed
  bool straight_ = false;
  struct stat status_ {};  // of what exists
  bool exists_ = false;
  FileDescriptor descriptor_;
  std::unique_ptr<TerminalText> held_back_;
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace phalanx
