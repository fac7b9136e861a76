#include "container/trees/tree_mark.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstring>
#include <sstream>

#include "files/named_place.hpp"
#include "files/output/output.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

constexpr const char* first_line = "phalanx tree 1";
constexpr std::size_t most_bytes = std::size_t{1} << 20;

// The number of its file system, which outlives a restart, or else of its device.
std::string name_device(int descriptor, const std::string& path) {
  struct stat status {};
  struct statfs system {};
  if (fstat(descriptor, &status) != 0 || fstatfs(descriptor, &system) != 0) throw_system_error("look at", path);
  std::string number(sizeof system.f_fsid, '\0');
  std::memcpy(number.data(), &system.f_fsid, number.size());
  const bool is_zero = number.find_first_not_of('\0') == std::string::npos;
  const std::string device = is_zero ? std::to_string(status.st_dev) : encode_hex(bytes_of(number));
  return device + ' ' + std::to_string(status.st_ino);
}

// When the folder was made, which tells it from another that has got its inode; "" where the file system does not say.
std::string line_of_birth(int descriptor) {
  struct statx status {};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) return "";
  return "born " + std::to_string(status.stx_btime.tv_sec) + '.' + std::to_string(status.stx_btime.tv_nsec) + '\n';
}

bool has_line(const std::string& text, const std::string& line) {
  return text.starts_with(line + '\n') || text.find('\n' + line + '\n') != std::string::npos;
}

}  // namespace

TreeMark::TreeMark(const FolderOfMany& from) {
  const std::string path = from.folder->path_of("");
  const FileDescriptor folder = from.folder->open("", O_RDONLY | O_DIRECTORY);
  text_ = std::string(first_line) + "\nsource " + name_device(folder.get(), path) + '\n' + line_of_birth(folder.get());
  for (const TreeFolder& mounted : from.folders) {
    if (mounted.is_mount) text_ += "mount " + encode_hex(bytes_of(mounted.name)) + '\n';
  }
}

std::optional<std::string> TreeMark::read(const RootedFolder& to) {
  const std::optional<struct stat> seen = to.look_at(tree_mark_name);
  if (!seen) return std::nullopt;
  const std::string path = to.path_of(tree_mark_name);
  require_regular(*seen, path);
  const FileDescriptor file = to.open(tree_mark_name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  std::string text(most_bytes, '\0');
  text.resize(read_until_full(file.get(), {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}, path));
  if (text.starts_with(std::string(first_line) + "\nsource ")) return text;
  throw Error(ErrorCode::usage, path + " does not say of which folder this is the copy: move it away");
}

std::string TreeMark::why_not(const RootedFolder& to) const {
  const std::optional<std::string> before = read(to);
  const std::string path = to.path_of(tree_mark_name);
  const std::string if_right = "; if that is right, remove " + path;
  if (!before) return path + " did not say yet of which folder this is the copy; it does now, for the next run";
  std::istringstream lines(*before);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (has_line(text_, line)) continue;
    if (line.starts_with("mount ")) return "a folder in which another disk was mounted is none now, or gone" + if_right;
    return to.path_of("") + " is the copy of another folder, or of one on another disk" + if_right;
  }
  return "";
}

void TreeMark::write(const RootedFolder& to, bool renews) const {
  const std::optional<std::string> before = read(to);
  if (before && (!renews || *before == text_)) return;
  Output output(to.path_of(tree_mark_name), {.force = before.has_value(), .made_up = true, .takes_partial = true});
  to.require_free(tree_mark_name);
  output.open();
  output.write(bytes_of(text_));
  output.commit();
}

}  // namespace phalanx
