#include "files/system/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <phalanx/error.hpp>

#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr off_t most_read_ahead = off_t{128} << 10;  // the system reads so far ahead anyway

// Returns the descriptor that `path` stands for, if it stands for one.
std::optional<int> descriptor_of(const std::string& path) {
  return path.empty() || path == "-" ? STDIN_FILENO : inherited_descriptor(path);
}

}  // namespace

Input::Input(const std::string& path) : name_(path.empty() || path == "-" ? "standard input" : path) {
  const std::optional<int> number = descriptor_of(path);
  is_by_name_ = !number;
  file_ = number ? duplicate(*number, name_) : open_file(path, O_RDONLY);
  look_at();
}

Input::Input(FileDescriptor file, std::string name, bool is_by_name)
    : name_(std::move(name)), is_by_name_(is_by_name), file_(std::move(file)) {
  look_at();
}

bool Input::is_named_file() const { return is_by_name_ && S_ISREG(status_.st_mode); }

std::string Input::own_name() const { return is_named_file() ? last_name_of(name_) : ""; }

void Input::look_at() {
  look_again();
  if (S_ISDIR(status_.st_mode)) throw Error(ErrorCode::usage, name_ + " is a folder: name a file");
  const bool is_short = S_ISREG(status_.st_mode) && status_.st_size <= most_read_ahead;
  if (!is_short) posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

void Input::look_again() {
  if (fstat(file_.get(), &status_) != 0) throw_system_error("open", name_);
  const bool is_file = S_ISREG(status_.st_mode);
  const auto num_bytes = static_cast<std::uint64_t>(status_.st_size);
  end_ = is_file && num_bytes != 0 ? std::optional(num_bytes) : std::nullopt;
  if (!end_ && (is_file || S_ISBLK(status_.st_mode))) end_ = find_end();
}

// Finds the end of a device, whose status does not have it, and of a file that says that it is empty.
std::optional<std::uint64_t> Input::find_end() const {
  const off_t here = lseek(file_.get(), 0, SEEK_CUR);
  if (here < 0) return std::nullopt;
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  if (end < 0 && errno == EINVAL) return std::nullopt;  // a file of /proc that has an end only when it is read
  if (end < 0 || lseek(file_.get(), here, SEEK_SET) != here) throw_system_error("seek in", name_);
  return static_cast<std::uint64_t>(end);
}

std::optional<std::uint64_t> Input::remaining_bytes() const {
  if (!end_) return std::nullopt;
  const std::uint64_t here = position();
  return *end_ > here ? *end_ - here : 0;
}

std::size_t Input::read(MutableBytes out) { return read_until_full(file_.get(), out, name_); }

std::uint64_t Input::position() const {
  const off_t here = lseek(file_.get(), 0, SEEK_CUR);
  if (here < 0) throw_system_error("seek in", name_);
  return static_cast<std::uint64_t>(here);
}

void Input::seek(std::uint64_t position) {
  if (lseek(file_.get(), static_cast<off_t>(position), SEEK_SET) < 0) throw_system_error("seek in", name_);
}

Input open_regular_file(const std::string& path) {
  const auto number = inherited_descriptor(path);
  Input input(number ? duplicate(*number, path) : open_file(path, O_RDONLY | O_NONBLOCK), path, !number);
  if (S_ISREG(input.status().st_mode)) return input;
  throw Error(ErrorCode::usage, path + " is not a regular file: name one");
}

}  // namespace phalanx
