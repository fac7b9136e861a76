// IN is where a command reads from.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/system/byte_stream.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// Reads a file, a device, a pipe or standard input ("-" or ""), from the descriptor's position on.
class Input : public ByteSource {
 public:
  /// Throws Error (runtime) if it cannot be opened, and Error (usage) if it is a folder.
  explicit Input(const std::string& path);

  /// Takes a file that is open already. `name` is for messages, unless it was opened by that.
  Input(FileDescriptor file, std::string name, bool is_by_name = false);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const struct stat& status() const { return status_; }

  /// Says whether it is a regular file that was opened by its name, and no stream or descriptor.
  [[nodiscard]] bool is_named_file() const;
  /// Returns the last part of that name, or "" where there is none.
  [[nodiscard]] std::string own_name() const;

  /// Returns the bytes from the current position to the end, for files and block devices, or nothing for an input that
  /// cannot seek. The end was looked up when the input was opened or looked at again, and every call goes by it.
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const;

  /// Looks up status and end anew.
  void look_again();

  std::size_t read(MutableBytes out) override;

  /// Return the current position of a seekable input, and go back to it. They throw Error (runtime).
  [[nodiscard]] std::uint64_t position() const;
  void seek(std::uint64_t position);

 private:
  void look_at();
  [[nodiscard]] std::optional<std::uint64_t> find_end() const;

  std::string name_;
  bool is_by_name_ = false;
  FileDescriptor file_;
  struct stat status_ {};
  std::optional<std::uint64_t> end_;
};

/// Opens a file at `path` that must be a regular one. A pipe is not waited for. Throws Error: usage if it is anything else,
/// runtime if it cannot be opened.
[[nodiscard]] Input open_regular_file(const std::string& path);

}  // namespace phalanx
