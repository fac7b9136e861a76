// This header seals folders of files as folders of containers, night after night, and unseals them. Each file becomes a
// container of its own. phalanx.hpp has the conventions. Any number of threads may work on different folders at once.
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

/// Says which containers that are there already are replaced.
enum class TreeUpdate : std::uint8_t {
  none = 0,        ///< none: a file that has a container is skipped
  by_time = 1,     ///< those that differ from their files in length or time, or are bound to less; none is authentic
  by_content = 2,  ///< those that do not open, with the recipients' secrets, to the content of their files
};

/// This says what became of a file. `kept` is a container whose file is gone, and `unfinished` what a stopped run has left
/// half done.
enum class TreeFileAs : std::uint8_t { done = 1, failed = 2, skipped = 3, removed = 4, kept = 5, unfinished = 6 };

/// This is the result of one file.
struct TreeFileResult {
  std::string path{};  ///< the file, a removed or kept container, or a folder of several that are kept
  TreeFileAs outcome = TreeFileAs::done;
  ErrorCode code = ErrorCode::runtime;  ///< set for one that failed
  std::string why{};                    ///< why it failed, was skipped, is kept or unfinished, in a line
};

/// This is called for each file, by any thread, but one at a time. It is not called for files whose containers are up to
/// date. If it throws, the call ends.
using OnTreeFileResult = std::function<void(const TreeFileResult&)>;

struct SealTreeOptions {
  TreeUpdate update = TreeUpdate::none;
  bool prune = false;                         ///< remove containers whose files are gone, unless `why_not_removed` is given
  std::span<const std::string> prune_also{};  ///< with `prune`: "emptied", "unrecorded", "mount:NAME"; the caller's
  bool renew_tree = false;         ///< `from` is the same folder as before, restored or moved: its containers stay its own
  bool expect_tree = false;        ///< throw Error (usage) where `to` has no .phalanx-tree: its disk may be missing
  bool dry_run = false;            ///< write nothing; tell what a run would do; not with an index, nor `update` by content
  bool update_recipients = false;  ///< with `update`: containers get these recipients and no others; not with `dry_run`
  bool replace = false;            ///< replace any file that has a container's name; not with `update`
  bool keep = true;                ///< containers get permissions and times of files, and folders those of folders
  bool verify = false;             ///< read each container back before it gets its name, and compare
  bool changing_input = false;     ///< take files as they come, even if one becomes shorter or is changed without growing
  Binding binding{};               ///< the context, and `below`
  bool bind_names = false;         ///< bind each container to its file's path below `from`
  OnTreeFileResult on_file{};
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  const TreeIndexOptions* index = nullptr;  ///< the caller's: an index of `to`, to which the call appends its segment
};

struct SealTreeCounts {
  std::uint64_t num_sealed = 0;
  std::uint64_t num_unchanged = 0;  ///< files whose containers are up to date, as `update` compares
  std::uint64_t num_skipped = 0;    ///< without `update`, files with a container; symbolic links; leftovers of a killed run
  std::uint64_t num_failed = 0;
  std::uint64_t num_gone = 0;        ///< containers that stay in `to`, though their files are gone
  std::uint64_t num_removed = 0;     ///< such containers that `prune` has removed
  std::uint64_t num_newly_kept = 0;  ///< such containers that no call has told of before
  /// Counts files that a stopped run has left half done, so that a copy of them alone is of no use. They are not sealed.
  std::uint64_t num_unfinished = 0;
  std::string why_not_removed{};  ///< why the call removed none, though the options ask for it, in a line; "" otherwise
  std::string why_other_wish{};   ///< containers are, or may be, for other recipients, or bound otherwise: in a line
  IndexGeneration index{};        ///< the segment that the call has appended to the index, where it has one
};

/// Seals every file below the folder `from` as a container below the folder `to`, which has its name and ".phalanx", and
/// makes folders as those of the files are. A container takes its file's mode, less the umask and never wider, and its time
/// before it takes its name. So a call that is killed, or comes again, goes on where the last one was. No symbolic link is
/// followed, and none is sealed. A file at a container's name that is no container is replaced with `replace` only, and
/// never removed.
///
/// Every call writes to the record `to`/.phalanx-tree which containers it has made of `from`. `prune` removes a container
/// that the record names and whose file is gone, if its header and its length are those of a container. The file's folder
/// must be the same as before: another file that was there with the missing one is there still. Then folders that are gone
/// and empty go. The containers of a mount point stay unless the same file system is mounted there. All other containers
/// without a file stay, and are told once: as `kept`, in `num_newly_kept`. `prune_also` removes them. `prune` removes
/// nothing where a file failed.
///
/// The record has the recipients, the suite and the binding of the containers, as a digest. If a call asks for others than
/// the record has, `why_other_wish` says so, and existing containers stay as they were. `update_recipients` changes them:
/// by a new header where a key or passphrase of the recipients opens the container, else by sealing anew. If the record has
/// no such digest, containers are tried. For public keys with calls of the caller only their number is known, unless
/// `secret` has their text.
///
/// With an index, a container counts as its file's only if it is the very one that the index has for its name, or is opened
/// and compared. Any other container is sealed anew, or without `update` skipped. Every call that comes to its end appends a
/// segment to the index, also where nothing changed; meanwhile no other call can. `index` of the counts has how many
/// containers had another header than the index has. Such a container is taken in where it opens, and sealed anew where its
/// header is an earlier one.
///
/// A failure of one file is told, and the others go on. Throws Error as verify_tree_index does about the index, and with
/// these codes:
/// - usage: the folders or the options do not fit each other
/// - runtime: the folders cannot be used, or the call is cancelled
[[nodiscard]] SealTreeCounts seal_tree(const std::string& from, const std::string& to, std::string_view suite,
                                       std::span<const Recipient> recipients, const SealTreeOptions& options = {});

struct UnsealTreeOptions {
  /// Says which files that are there already are left. By time these are those of the right length and time, neither of
  /// which is authentic. By content these are those that hold what their containers open to, whatever their times.
  TreeUpdate update = TreeUpdate::none;
  bool replace = false;  ///< replace any file that has a file's name; with `update` those alone that are not left
  bool keep = true;      ///< files get permissions and times of containers, and folders those of folders
  CostLimits limits{};   ///< for each container
  Binding binding{};     ///< the name of each container is its path below `from`
  OnTreeFileResult on_file{};
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

/// These are the numbers of files that a call of unseal_tree has opened, passed over, and failed at.
struct UnsealTreeCounts {
  std::uint64_t num_opened = 0;
  /// Counts files that are no containers by their names, or that are there, without `update`, with the right length, time
  /// and content.
  std::uint64_t num_skipped = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_unchanged = 0;  ///< files that are there and are left, as `update` compares
};

/// Opens every container NAME.phalanx below the folder `from`, and writes its plaintext below the folder `to` as NAME. The
/// file gets the container's mode, less the umask and never wider, and its time. A key is tried if it has the length of the
/// container's suite. A file that is there already, with the length and the time that a container would give it, is compared
/// with the plaintext, and skipped if it is the same. `update` compares otherwise. Another file of that name fails, unless
/// `replace` is given. Then it stays until its successor is whole, and takes its name. Throws Error as seal_tree does.
[[nodiscard]] UnsealTreeCounts unseal_tree(const std::string& from, const std::string& to,
                                           std::span<const Identity> identities, const UnsealTreeOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
