// Files and pipes are opened, read and written whole, and closed once, by descriptor.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>

namespace phalanx {

/// Owns a file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  /// Closes it now. Returns false, with errno set, where the system reports that data were lost.
  bool close();

 private:
  int number_ = -1;
};

/// Throws Error (runtime): "cannot ACTION NAME: " and the text of errno.
[[noreturn]] void throw_system_error(std::string_view action, std::string_view name);

/// Calls open(2), close-on-exec, never as a controlling terminal. Throws Error (runtime).
[[nodiscard]] FileDescriptor open_file(const std::string& path, int flags, mode_t mode = 0666);

/// Copies an inherited descriptor, so that closing it leaves the original open. Throws Error (runtime).
[[nodiscard]] FileDescriptor duplicate(int number, std::string_view name);

/// Returns N for /dev/fd/N, /proc/self/fd/N, /dev/stdin, /dev/stdout and /dev/stderr. Those are used as they are, not opened
/// again, so that their position and flags hold.
[[nodiscard]] std::optional<int> inherited_descriptor(std::string_view path);

/// Reads until `out` is full or the data end, however small the pieces that a pipe gives. Returns the bytes read.
std::size_t read_until_full(int number, MutableBytes out, std::string_view name);

/// Reads as read_until_full does, at a position of the file, whose own position stays.
std::size_t read_at(int number, MutableBytes out, std::uint64_t position, std::string_view name);

/// Writes everything. A closed pipe is an Error like any other: SIGPIPE is ignored.
void write_all(int number, Bytes in, std::string_view name);

/// Writes as write_all does, at a position of the file.
void write_at(int number, Bytes in, std::uint64_t position, std::string_view name);

/// Makes a system call once more as long as signals end it. The result is less than 0 where it fails.
template <class Call>
auto call_again(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// Call fsync(2), fdatasync(2) and ftruncate(2), again where signals end them. They return false, with errno set, where they
/// fail.
[[nodiscard]] bool sync_whole(int number);
[[nodiscard]] bool sync_data(int number);
[[nodiscard]] bool set_size(int number, std::uint64_t num_bytes);

/// Opens descriptors 0, 1 and 2 where they are closed, so that no file of ours gets one of those numbers; reading or writing
/// them still fails.
void reserve_standard_descriptors();

}  // namespace phalanx
