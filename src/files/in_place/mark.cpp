#include "files/in_place/mark.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>

#include "files/system/file_descriptor.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/half_done.hpp"

namespace phalanx {
namespace {

bool is_one_of(int error, std::initializer_list<int> errors) { return std::ranges::find(errors, error) != errors.end(); }

// By device and inode: a folder that is renamed stays the place where the journal is.
std::string place_of(const std::string& journal_path) {
  const std::string folder = folder_of(journal_path);
  struct stat status {};
  if (call_again([&] { return ::stat(folder.empty() ? "." : folder.c_str(), &status); }) != 0) {
    throw_system_error("look at the folder of", journal_path);
  }
  return std::to_string(status.st_dev) + ' ' + std::to_string(status.st_ino) + ' ' + journal_path.substr(folder.size());
}

}  // namespace

InPlaceMark::InPlaceMark(int file, std::string path, const std::string& journal_path)
    : file_(file), path_(std::move(path)), own_(place_of(journal_path)), found_(read_in_place_mark(file, path_)) {}

std::string InPlaceMark::why_not_anew() const {
  if (found_.empty() || found_ == own_) return "";
  if (const std::string resized = explain_resized(found_); !resized.empty()) {
    return path_ + " is " + resized + ", and name a copy that cp has made";
  }
  return path_ + " is half done: a run over it was stopped, and it was moved, renamed or linked since. Give it its old " +
         "name beside that run's journal, " + journal_in_mark(found_) +
         ", and the same command again; to begin anew on it as it is, name a copy that cp has made";
}

bool InPlaceMark::is_kept_nowhere(int error) { return is_one_of(error, {ENOTSUP, EOPNOTSUPP, ENOSYS}); }

int InPlaceMark::set() {
  // Setting the same value once more is no change. A sync would then say nothing of a mark that never came to the disk.
  if (is_own()) static_cast<void>(call_again([&] { return fremovexattr(file_, in_place_mark_name); }));
  if (call_again([&] { return fsetxattr(file_, in_place_mark_name, own_.data(), own_.size(), 0); }) != 0) {
    const int error = errno;
    if (is_kept_nowhere(error) || is_one_of(error, {EPERM, EACCES, ENOSPC, EDQUOT, E2BIG, ERANGE})) return error;
    throw_system_error("mark", path_);
  }
  found_ = own_;
  make_durable();
  return 0;
}

void InPlaceMark::set_resized(std::uint64_t num_bytes, std::uint64_t num_now) {
  const std::string mark = mark_of_resized(num_bytes, num_now);
  if (call_again([&] { return fsetxattr(file_, in_place_mark_name, mark.data(), mark.size(), 0); }) != 0) return;
  found_ = mark;
  make_durable();
}

void InPlaceMark::remove() {
  if (found_.empty()) return;
  if (call_again([&] { return fremovexattr(file_, in_place_mark_name); }) != 0 && errno != ENODATA) {
    throw_system_error("remove the mark of", path_);
  }
  found_.clear();
  make_durable();
}

void InPlaceMark::make_durable() const {
  if (!sync_whole(file_)) throw_system_error("write", path_);
}

}  // namespace phalanx
