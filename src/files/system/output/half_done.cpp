#include "files/system/output/half_done.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <cerrno>
#include <phalanx/error.hpp>
#include <string_view>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_mark_bytes = 1024;  // a name has 255, and the numbers 40
constexpr std::string_view magic_of_all_versions = "phalanx journal";
constexpr std::string_view grown_mark = "grown ";
constexpr std::string_view cut_mark = "cut ";

// Returns the journal that a run over this name would go on with, or "" if there is none. A journal that cannot be read
// counts as none.
std::string journal_beside(const Input& input) {
  const std::string path = resolve_links(input.name());
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !(FileIdentity(status) == FileIdentity(input.status()))) return "";
  const std::string journal = path + journal_suffix;
  const FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::array<std::uint8_t, magic_of_all_versions.size()> beginning{};
  const std::size_t size = read_at(file.get(), beginning, 0, journal);
  return std::string_view(reinterpret_cast<const char*>(beginning.data()), size) == magic_of_all_versions ? journal : "";
}

}  // namespace

std::string read_in_place_mark(int file, const std::string& path) {
  std::array<char, most_mark_bytes> value{};
  const ssize_t size = call_again([&] { return fgetxattr(file, in_place_mark_name, value.data(), value.size()); });
  if (size >= 0) return {value.data(), static_cast<std::size_t>(size)};
  if (errno == ENODATA || errno == ENOTSUP || errno == ENOSYS) return "";
  throw_system_error("look at the extended attributes of", path);
}

// The journal's name stands behind the folder's device and inode.
std::string journal_in_mark(const std::string& mark) { return mark.substr(mark.find(' ', mark.find(' ') + 1) + 1); }

std::string mark_of_resized(std::uint64_t num_bytes, std::uint64_t num_now) {
  return std::string(num_now > num_bytes ? grown_mark : cut_mark) + std::to_string(num_bytes);
}

std::string explain_resized(const std::string& mark) {
  if (mark.starts_with(cut_mark)) {
    return "cut short: another program made it shorter while a run in place was at work on it, which has crypted what is "
           "left of its " +
           mark.substr(cut_mark.size()) + " bytes: take a copy of before in its place";
  }
  if (!mark.starts_with(grown_mark)) return "";
  return "half done: it grew while a run in place was at work on it, which has crypted its first " +
         mark.substr(grown_mark.size()) + " bytes: cut off what was added";
}

std::string explain_half_done(const Input& input, bool may_lie_beside) {
  if (!S_ISREG(input.status().st_mode)) return "";
  const std::string mark = read_in_place_mark(input.descriptor(), input.name());
  if (std::string resized = explain_resized(mark); !resized.empty()) return resized;
  const std::string beside = may_lie_beside || !mark.empty() ? journal_beside(input) : "";
  if (mark.empty() && beside.empty()) return "";
  const std::string stopped = "half done: a run in place over it was stopped, whose journal is ";
  if (!beside.empty()) return stopped + beside + ": give the command of that run again, which finishes it";
  return stopped + journal_in_mark(mark) +
         ", and not beside it: bring both together under their old names, and give the command of that run again. Without " +
         "the journal nothing tells how far it came, and only a copy of before can take its place";
}

void refuse_half_done(const Input& input) {
  const std::string why = explain_half_done(input);
  if (why.empty()) return;
  throw Error(ErrorCode::format, input.name() + " is " + why + "; to take the file as it is, name a copy that cp has made");
}

}  // namespace phalanx
