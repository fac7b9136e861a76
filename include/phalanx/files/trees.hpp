// Folders of files as folders of containers, and back: sealed night after night, each file as a container of its own.
// phalanx.hpp has the conventions. Any number of threads may work on different folders at once.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <functional>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <phalanx/files/tree_index.hpp>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Which containers that are there already are replaced.
enum class TreeUpdate : std::uint8_t {
  none = 0,        ///< none: what has a container is skipped
  by_time = 1,     ///< those that have not the length and time of their files, or are bound to less; none is authentic
  by_content = 2,  ///< those that do not open, with the recipients' secrets, to what their files hold
};

/// What became of a file: `kept` is a container whose file is gone, and `unfinished` what a stopped run has left half done.
enum class TreeFileAs : std::uint8_t { done = 1, failed = 2, skipped = 3, removed = 4, kept = 5, unfinished = 6 };

/// What became of one file.
struct TreeFileResult {
  std::string path{};  ///< of the file, of a container that was removed or kept, or of a folder of several that are kept
  TreeFileAs outcome = TreeFileAs::done;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why{};                    ///< it failed, was skipped, is kept or unfinished, in a line
};

/// Called for each file, by any thread, but one at a time; not for those whose containers stand for them already. What it
/// throws ends the call.
using OnTreeFileResult = std::function<void(const TreeFileResult&)>;

struct SealTreeOptions {
  TreeUpdate update = TreeUpdate::none;
  bool prune = false;                         ///< remove containers whose files are gone, unless `why_not_removed` is given
  std::span<const std::string> prune_also{};  ///< with `prune`: "emptied", "unrecorded", "mount:NAME"; the caller's
  bool renew_tree = false;         ///< `from` is the folder of before, restored or moved: what was made of it stays its own
  bool expect_tree = false;        ///< throw Error (usage) where `to` has no .phalanx-tree: its disk may be missing
  bool dry_run = false;            ///< write nothing; tell what would be done; not with an index, nor `update` by content
  bool update_recipients = false;  ///< with `update`: containers get these recipients and no others; not with `dry_run`
  bool replace = false;            ///< replace whatever has a container's name; not with `update`
  bool keep = true;                ///< containers get permissions and times of files, and folders those of folders
  bool verify = false;             ///< read each container back before it gets its name, and compare
  bool changing_input = false;     ///< take files as they come, even if one becomes shorter or is changed without growing
  Binding binding{};               ///< its context, and `below`
  bool bind_names = false;         ///< bind each container to its file's path below `from`
  OnTreeFileResult on_file{};
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  const TreeIndexOptions* index = nullptr;  ///< the caller's: an index of `to`, to which the call appends its segment
};

struct SealTreeCounts {
  std::uint64_t num_sealed = 0;
  std::uint64_t num_unchanged = 0;  ///< their containers stand for them, as `update` compares
  std::uint64_t num_skipped = 0;    ///< without `update`, what has a container; links; what a killed run has left
  std::uint64_t num_failed = 0;
  std::uint64_t num_gone = 0;        ///< containers that stay in `to`, though their files are gone
  std::uint64_t num_removed = 0;     ///< such containers that `prune` has removed
  std::uint64_t num_newly_kept = 0;  ///< such containers that no call has told of before
  /// Files that a stopped run of ours has left half done, so that a copy of them alone is of no use: they are not sealed.
  std::uint64_t num_unfinished = 0;
  std::string why_not_removed{};  ///< why none of them was, though it was asked for, in a line; "" otherwise
  std::string why_other_wish{};   ///< what is there is, or may be, for other recipients, or bound otherwise: in a line
  IndexGeneration index{};        ///< what the call has appended to the index, where it has one
};

/// Seals every file below the folder `from` as a container below the folder `to`, which has its name and ".phalanx", and
/// makes folders as those of the files are. A container takes its file's mode, less the umask and never wider, and its time
/// before it takes its name: so a call that is killed, or comes again, goes on where the last one was. No link is followed,
/// and none is sealed. A file at a container's name that is no container is replaced with `replace` only, and never removed.
///
/// Every call writes to the record `to`/.phalanx-tree what it has made of `from`. `prune` removes what that names, is a
/// container by its header and its length, and has no file any more, from a folder that is the same as before: a file that
/// was there with the missing one is there still. Then folders that are gone and empty go. What a mount point had stays
/// unless the same file system is mounted there. All else stays, and is told once: as `kept`, in `num_newly_kept`;
/// `prune_also` removes it. It removes nothing where a file failed.
///
/// The record has for whom the containers were sealed, in what suite and bound to what, as a digest. Where another call
/// asked for another thing, `why_other_wish` says so, and what stands for its file stays as it was. `update_recipients`
/// changes it: by a new header where a key or passphrase of the recipients opens the container, else it is sealed anew.
/// Where the record says nothing of that, containers are tried. Of public keys with calls of the caller's only their number
/// is known, unless `secret` has their text.
///
/// With an index, a container counts as its file's only if it is the very one that the index has for its name, or is opened
/// and compared; any other is sealed anew, or without `update` skipped. Every call that comes to its end appends a segment
/// to the index, also where nothing changed; meanwhile no other call can. `index` of the counts has how many containers had
/// another header than the index has: taken in where it opens, sealed anew where it is an earlier one.
///
/// Throws Error: usage where the folders or the options do not fit each other; runtime where they cannot be used, or the
/// call is cancelled; as verify_tree_index does about the index. What is wrong with a file is told, and the others go on.
[[nodiscard]] SealTreeCounts seal_tree(const std::string& from, const std::string& to, std::string_view suite,
                                       std::span<const Recipient> recipients, const SealTreeOptions& options = {});

struct UnsealTreeOptions {
  bool replace = false;  ///< replace whatever has a file's name
  bool keep = true;      ///< files get permissions and times of containers, and folders those of folders
  bool trust_times =
      false;            ///< what is there with its length and its time is skipped, and not compared: neither is authentic
  CostLimits limits{};  ///< of each container
  Binding binding{};    ///< each container's name is its path below `from`
  OnTreeFileResult on_file{};
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

/// How many files a call of unseal_tree has opened, passed over, and failed at.
struct UnsealTreeCounts {
  std::uint64_t num_opened = 0;
  std::uint64_t num_skipped =
      0;  ///< no containers by their names; or what is there already: with its length, time and content
  std::uint64_t num_failed = 0;
};

/// Opens every container NAME.phalanx below the folder `from`, and writes its plaintext below the folder `to` as NAME, with
/// the container's mode, less the umask and never wider, and its time. Of the keys those are tried that have the length of
/// the container's suite. What is there already, with the length and the time that a container would give it, is compared
/// with what that opens to, and skipped if it is the same. What is there and is another file fails, unless `replace` is
/// given. Throws Error as seal_tree does.
[[nodiscard]] UnsealTreeCounts unseal_tree(const std::string& from, const std::string& to,
                                           std::span<const Identity> identities, const UnsealTreeOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
