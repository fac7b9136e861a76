// An input that another program may be writing while it is read: where the reading ends, and what became of the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "files/system/file_identity.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Whether a file that changes is taken as it comes.
struct InputChanges {
  bool allowed = false;
  std::string setting{};  ///< what whoever asked calls that; "": it cannot be asked for
};

/// A regular file has an end that is settled before the last piece of it is given to anybody: so nothing is sealed as the
/// last chunk that was not the last. What is appended meanwhile is read on to, a few times: a file that grows faster than it
/// is read has an end too. Of pipes and devices nothing is known, and a file that says that it is empty, as those of /proc
/// do, may not be. Any number of threads.
class InputWatch {
 public:
  /// Looks at the file again, for the first time: what the input says of its end is from now. It stays the caller's.
  explicit InputWatch(Input& input, InputChanges changes = {});

  /// Reading begins where the input stands.
  void begin();

  [[nodiscard]] Input& input() const { return input_; }
  [[nodiscard]] const InputChanges& changes() const { return changes_; }
  [[nodiscard]] bool is_file() const { return is_file_; }
  /// Once reading has begun: whether it is a file or a block device, whose length is known.
  [[nodiscard]] bool is_seekable() const { return is_seekable_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// From there on, so many bytes are known to be there.
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }
  [[nodiscard]] bool is_settled() const { return is_settled_; }

  /// All of them were read: looks whether there are more now. False: that was the end, and it is settled.
  [[nodiscard]] bool has_grown();
  /// The end is where the file ends now; or, where it has so many, behind num_bytes.
  void settle();
  void settle_at(std::uint64_t num_bytes);

  /// Bytes that should be there have gone: they are taken for zeros where that is allowed. Throws Error (runtime).
  void lose(std::uint64_t num_bytes);

  /// All was read. Says in a line what became of the file meanwhile, "" where nothing did. Throws Error (runtime) where it
  /// became shorter, or was changed without growing, unless that is allowed.
  [[nodiscard]] std::string judge();

  /// Whether it had grown when it was judged.
  [[nodiscard]] bool grew() const { return grew_; }

 private:
  [[nodiscard]] std::uint64_t bytes_there() const;
  [[nodiscard]] std::string describe_growth(const FileStamp& now) const;
  [[noreturn]] void refuse(const std::string& what) const;

  Input& input_;
  InputChanges changes_;
  FileStamp first_;
  bool is_file_ = false;
  bool is_seekable_ = false;
  bool grew_ = false;
  std::uint64_t position_ = 0;
  std::mutex mutex_;
  int num_growths_ = 0;
  std::atomic<std::uint64_t> num_bytes_{0};
  std::atomic<bool> is_settled_{false};
  std::atomic<std::uint64_t> lost_bytes_{0};
};

}  // namespace phalanx
