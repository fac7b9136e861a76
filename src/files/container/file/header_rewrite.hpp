// A header can take the place of another one of the same size, in the file itself. So a year of backups is not written anew
// when its recipients change.
//
// The disk does not write a header in one step. So FILE.phalanx-header stands beside the file meanwhile. It has the old and
// the new header, and the file's time, under a MAC of the data key. It is durable before a byte of the file is written, and
// goes when the new header is durable. A run that is killed in between leaves it. Then the file has its old header, or its
// new one, or a mixture. A mixture opens for nobody, since a header has a MAC, but either header of FILE.phalanx-header
// opens the file. The next run that opens the file settles it: a header that opens by itself stays, and a mixture becomes
// the new header.
//
// The file may have several names, of which one alone has FILE.phalanx-header beside it. So a run that writes a header holds
// a lock of the file itself. The file beside a name goes only when FILE is whole, by whichever name it is read.
//
// The MAC keeps others from having their bytes written into the file: only the file's own recipients can make such a MAC.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files/container/format/header.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Says how a container's header is read, and how the data key is opened. Both throw Error where they cannot.
struct HeaderOpening {
  std::function<ContainerHeader(ByteSource&)> read;
  std::function<SecretBytes(const ContainerHeader&)> open;
  Bytes context{};  ///< context of the body, where there is one; the caller's
  /// Its folder was listed, and had no FILE.phalanx-header: that is looked for only where the container does not open.
  bool has_no_rewrite = false;
  bool is_locked = false;  ///< the caller has a lock of the file itself, under which headers are written
};

/// Opens the same file once more, for writing, whatever has its name now. Returns a closed descriptor where that is not
/// allowed.
[[nodiscard]] FileDescriptor open_for_writing(const Input& input);

/// Reads the header that the input stands at, and opens it. Where it does not open by itself, it takes the header from
/// FILE.phalanx-header, which stands there while a rewrite runs or after one was killed. It settles a killed rewrite, where
/// it can. The input then stands behind the header. It throws as `opening` does.
[[nodiscard]] UnlockedContainer unlock_input(Input& input, const HeaderOpening& opening);

/// Returns the headers that FILE.phalanx-header has for a file that does not open by itself: the new one, then the old one.
/// Returns none if there is no such file. Nothing in them is authentic. `path` may be a symbolic link to FILE.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> headers_beside(const std::string& path);

/// Says whether a killed rewrite has left a container with a mixture of both headers, so that a copy of it opens for nobody
/// without FILE.phalanx-header.
[[nodiscard]] bool is_half_changed(const Input& input);

/// Removes the file that a killed rewrite has left beside `path`, where another container has just taken that name, or none
/// has it any more. `replaced` is the file that had the name, open. If it has other names, and neither header of the
/// rewrite, these names need the rewrite, and it stays. A file of another user stays, and so does one that is not known to
/// be of a rewrite. Returns whether other names need the file that stays.
bool remove_stale_rewrite(const std::string& path, int replaced);
inline constexpr const char* needed_by_other_links =
    "it holds the headers of a container that has other links, and whose recipients a run was changing when it was stopped: "
    "give it the name of one of them, with .phalanx-header behind it, and open that once, with `phalanx verify`";

/// This is the file of a rewrite, at work.
class HeaderRewrite {
 public:
  /// Opens `file` once more, for writing. Returns nothing where that is not allowed: then the file is to be written anew.
  /// `path` is its name, and not a symbolic link.
  [[nodiscard]] static std::optional<HeaderRewrite> open(const Input& file, std::string path);

  /// Writes `after` in the place of `container`'s header, which has the same size. The time of the file stays. Throws Error
  /// (runtime). The file then has the one header or the other, or opens by the file beside it.
  void write(const UnlockedContainer& container, const ContainerHeader& after);

 private:
  HeaderRewrite(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  FileDescriptor file_;
  std::string path_;
};

}  // namespace phalanx
