// A renewed file takes the place of another of its kind, which an earlier run left and which is copied. The old inode may
// have lost written bytes, and may lose again what is written in the same place.
#pragma once

#include <string>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/signals.hpp"

namespace phalanx {

class RenewedFile {
 public:
  /// Creates PATH.phalanx-renewed, empty, for its owner alone, in the place of one that a killed run left. The caller holds
  /// a lock that keeps other runs away from PATH. Throws Error (runtime, usage).
  explicit RenewedFile(std::string path);
  ~RenewedFile();  ///< removes it, unless it has taken PATH's name
  RenewedFile(const RenewedFile&) = delete;
  RenewedFile& operator=(const RenewedFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::string& path() const { return renewed_path_; }  ///< the path where it lies now

  /// Makes it durable, gives it PATH's name, which is `before`'s until then, and returns it. Throws Error (runtime): then it
  /// may not be under that name after a power cut.
  [[nodiscard]] FileDescriptor take_name(const FileIdentity& before);

 private:
  std::string path_, renewed_path_;
  FileDescriptor file_;
  FileIdentity identity_;
  SignalBlocker held_back_;  // no signal leaves the file behind
};

/// Removes the file of a run that was killed while it renewed `path`.
void remove_renewed(const std::string& path);

}  // namespace phalanx
