#include "files/system/file_descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <phalanx/error.hpp>
#include <system_error>
#include <utility>

namespace phalanx {
namespace {

// Waits where a descriptor that we inherited is non-blocking. Returns true if the call is to be made again.
bool try_again(int number, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd waiting{number, events, 0};
  return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

// Calls `read` for the rest of `out` until that is full or the file ends. Returns the bytes read.
template <class Read>
std::size_t fill(int number, MutableBytes out, std::string_view name, const Read& read) {
  MutableBytes rest = out;
  while (!rest.empty()) {
    const ssize_t got = read(rest);
    if (got > 0) {
      rest = rest.subspan(static_cast<std::size_t>(got));
    } else if (got == 0) {
      break;
    } else if (!try_again(number, POLLIN)) {
      throw_system_error("read", name);
    }
  }
  return out.size() - rest.size();
}

// Calls `write` for the rest of `in` until nothing is left.
template <class Write>
void drain(int number, Bytes in, std::string_view name, const Write& write) {
  while (!in.empty()) {
    const ssize_t put = write(in);
    if (put >= 0) {
      in = in.subspan(static_cast<std::size_t>(put));
    } else if (!try_again(number, POLLOUT)) {
      throw_system_error("write", name);
    }
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() { close(); }

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

// Linux closes a file whose close(2) was interrupted, too.
bool FileDescriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0 || errno == EINTR; }

void throw_system_error(std::string_view action, std::string_view name) {
  const int number = errno;
  throw Error(ErrorCode::runtime,
              "cannot " + std::string(action) + " " + std::string(name) + ": " + std::system_category().message(number),
              {.name = std::string(name), .system_error = number});
}

FileDescriptor open_file(const std::string& path, int flags, mode_t mode) {
  const int number = call_again([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode); });
  if (number < 0) throw_system_error("open", path);
  return FileDescriptor(number);
}

FileDescriptor duplicate(int number, std::string_view name) {
  const int copy = fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) throw_system_error("use", name);
  return FileDescriptor(copy);
}

std::optional<int> inherited_descriptor(std::string_view path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
}

std::size_t read_until_full(int number, MutableBytes out, std::string_view name) {
  return fill(number, out, name, [&](MutableBytes rest) { return ::read(number, rest.data(), rest.size()); });
}

std::size_t read_at(int number, MutableBytes out, std::uint64_t position, std::string_view name) {
  return fill(number, out, name, [&](MutableBytes rest) {
    const std::uint64_t at = position + (out.size() - rest.size());
    return ::pread(number, rest.data(), rest.size(), static_cast<off_t>(at));
  });
}

void write_all(int number, Bytes in, std::string_view name) {
  drain(number, in, name, [&](Bytes rest) { return ::write(number, rest.data(), rest.size()); });
}

void write_at(int number, Bytes in, std::uint64_t position, std::string_view name) {
  drain(number, in, name, [&](Bytes rest) {
    const std::uint64_t at = position + (in.size() - rest.size());
    return ::pwrite(number, rest.data(), rest.size(), static_cast<off_t>(at));
  });
}

bool sync_whole(int number) {
  return call_again([&] { return fsync(number); }) == 0;
}

bool sync_data(int number) {
  return call_again([&] { return fdatasync(number); }) == 0;
}

bool set_size(int number, std::uint64_t num_bytes) {
  return call_again([&] { return ftruncate(number, static_cast<off_t>(num_bytes)); }) == 0;
}

void reserve_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // /dev/null is opened the wrong way round on purpose: data must not vanish in it. open takes the lowest free number,
    // this one.
    if (::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number) _exit(1);
  }
}

}  // namespace phalanx
