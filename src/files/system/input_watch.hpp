// Another program may write to an input while it is read. The watch decides where the reading ends, and says how the file
// changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "files/system/file_identity.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Says whether a file that changes is taken as it comes.
struct InputChanges {
  bool allowed = false;
  std::string setting{};  ///< the caller's name for this setting; "": the caller has none
};

/// Settles the end of a regular file before its last piece is given to anybody. So no chunk is sealed as the last one that
/// was not the last. Bytes that are appended meanwhile are read, a few times: a file that grows faster than it is read has
/// an end too. Nothing is known of pipes and devices. A file that says that it is empty, as those of /proc do, may not be.
/// Any number of threads may use it.
class InputWatch {
 public:
  /// Looks at the file again, for the first time: the input's end is the present one. The input stays the caller's.
  explicit InputWatch(Input& input, InputChanges changes = {});

  /// Begins the reading where the input stands.
  void begin();

  [[nodiscard]] Input& input() const { return input_; }
  [[nodiscard]] const InputChanges& changes() const { return changes_; }
  [[nodiscard]] bool is_file() const { return is_file_; }
  /// Says, once reading has begun, whether it is a file or a block device, whose length is known.
  [[nodiscard]] bool is_seekable() const { return is_seekable_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// Returns how many bytes behind the position are known to be there.
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }
  [[nodiscard]] bool is_settled() const { return is_settled_; }

  /// This is called when all of them were read, and looks whether there are more now. Returns false if that was the end,
  /// which is then settled.
  [[nodiscard]] bool has_grown();
  /// Settle the end where the file ends now, or behind num_bytes, where it has so many.
  void settle();
  void settle_at(std::uint64_t num_bytes);

  /// Takes bytes that should be there and have gone for zeros, where that is allowed. Throws Error (runtime).
  void lose(std::uint64_t num_bytes);

  /// This is called when all was read. Says in a line how the file changed meanwhile, or "" where it did not. Throws Error
  /// (runtime) where it became shorter, or was changed without growing, unless that is allowed.
  [[nodiscard]] std::string judge();

  /// Says whether it had grown when it was judged.
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
