#include "files/system/output/renewed_file.hpp"

#include <fcntl.h>

#include <cstdio>
#include <phalanx/error.hpp>
#include <utility>

#include "files/system/output/leftover_file.hpp"
#include "files/system/output/sibling_path.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

std::string renewed_path_of(const std::string& path) { return sibling_path(path, renewed_suffix); }

}  // namespace

RenewedFile::RenewedFile(std::string path) : path_(std::move(path)), renewed_path_(renewed_path_of(path_)) {
  remove_renewed(path_);
  file_ = open_file(renewed_path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  identity_ = identity_of_new(file_.get(), renewed_path_);
}

RenewedFile::~RenewedFile() {
  if (file_.is_open()) unlink_if_same(renewed_path_, identity_);
}

FileDescriptor RenewedFile::take_name(const FileIdentity& before) {
  if (!sync_whole(file_.get())) throw_system_error("write", renewed_path_);
  if (identity_at(path_) != before || identity_at(renewed_path_) != identity_)
    throw Error(ErrorCode::runtime, path_ + " was moved, replaced or removed by another program");
  if (std::rename(renewed_path_.c_str(), path_.c_str()) != 0) throw_system_error("replace", path_);
  FileDescriptor file = std::exchange(file_, FileDescriptor());
  sync_folder_of(path_);
  return file;
}

void remove_renewed(const std::string& path) {
  const std::string renewed = renewed_path_of(path);
  const std::optional<LeftoverFile> left = open_leftover(renewed, nullptr);
  if (left) remove_if_same(renewed, left->identity);
}

}  // namespace phalanx
