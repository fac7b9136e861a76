// From files of old ciphertext to containers. phalanx.hpp has the conventions. IN and OUT are the files' paths; links are
// followed. Any number of threads may work on different files at once.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <phalanx/files/doubt.hpp>
#include <phalanx/files/foreign.hpp>
#include <phalanx/files/tree_index.hpp>
#include <phalanx/files/verification.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

struct MigrationOptions {
  bool verify = true;    ///< read OUT back before it gets its name, and compare both plaintexts
  bool replace = false;  ///< replace a file that has OUT's name; else that is an Error (usage)
  bool resume = false;   ///< go on with the OUT.phalanx-partial of a run that was killed, and keep it if this one fails
  bool sha256 = false;   ///< of the plaintext, which takes longer
  Binding binding{};     ///< its name is given, or there is none
  OnProgress on_progress{};
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
};

struct Migrated {
  std::uint64_t source_bytes = 0;     ///< of IN
  std::uint64_t container_bytes = 0;  ///< of OUT
  std::string sha256;                 ///< of the plaintext, in hex, where it was asked for
  std::string digest;                 ///< as ForeignReader::digest
  /// Why the old key may be wrong and the plaintext garbage. None if something vouches for it: the plaintext is text
  /// wherever it is looked at, a PNG image whose sums are right, begins as a known kind does and is padded in CBC, or has
  /// enough padding. One byte is not enough: a wrong key gives it in one of 256 files. Keep the original of a doubtful file.
  Doubt doubt{};
};

/// Decrypts IN and seals it as OUT in one pass, and makes OUT durable. OUT appears only once it is complete; IN stays as it
/// is. Throws Error: what ForeignReader throws about IN; runtime if IN changed meanwhile or a disk fails; authentication if
/// OUT does not read back as it was written. What was begun is then removed, unless `resume` keeps it.
[[nodiscard]] Migrated migrate_file(const std::string& in, const ForeignFormat& format, const std::string& out,
                                    std::string_view suite, std::span<const Recipient> recipients,
                                    const MigrationOptions& options = {});

/// What became of an old file.
enum class MigratedAs : std::uint8_t { done = 1, failed = 2, skipped = 3 };

/// What became of one file of a tree.
struct TreeFileMigration {
  std::string name{};  ///< below the folder of the old files
  MigratedAs outcome = MigratedAs::done;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why{};                    ///< it failed or was skipped, in a line
  std::uint64_t source_bytes = 0;       ///< of the old file, where it is done
  std::uint64_t container_bytes = 0;    ///< of its container
  bool verified = false;                ///< the container was read back
  std::string sha256{};                 ///< of the plaintext, in hex, where it was asked for
  std::string found{};                  ///< what it was opened with, in words
  Doubt doubt{};                        ///< as Migrated::doubt
  bool deleted = false;                 ///< the old file was removed
  std::string kept{};                   ///< why it was not, though it was to go and there is no doubt
  std::string container{};              ///< its container's name below the folder of the containers
};

/// Called for each file that is tried, by any thread, but one at a time: once it is done, or at the end where it is
/// doubtful, since files that come later may vouch for its key. What it throws ends the call.
using OnMigrated = std::function<void(const TreeFileMigration&)>;

struct TreeMigrationOptions {
  bool verify = true;          ///< as in MigrationOptions
  bool preserve = true;        ///< containers and folders get times, permissions, owners and attributes of the old ones
  bool replace = false;        ///< replace what has a container's name; else it must be the container already
  bool sha256 = false;         ///< of each plaintext, which takes longer
  bool find_wrapping = false;  ///< find whether each file is base64, and whether it has a salt, whatever the formats say
  /// Remove each old file once its container is verified and durable, unless there is doubt. Where an earlier call made the
  /// container, it must open with what is given: for a public key nothing shows that, and the old file is kept.
  bool delete_source = false;
  bool delete_doubtful = false;  ///< with delete_source: these too
  bool delete_volatile = false;  ///< with delete_source: also where containers lie in memory (tmpfs) and old files do not
  bool keep_going = false;       ///< try all files even if most of them cannot be opened
  Binding binding{};             ///< its context, and `below`
  bool bind_names = false;       ///< bind each container to its path below `to`, without ".phalanx"
  std::size_t num_jobs = 0;      ///< files at once; 0: as many as there are cores, 4 at most
  /// Which are taken off old names before ".phalanx" is put behind them, the longest that fits: ".des3".
  std::vector<std::string> strip_suffixes{};
  OnMigrated on_migrated{};
  OnProgress on_progress{};
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
  const TreeIndexOptions* index = nullptr;  ///< the caller's: an index of `to`, to which the call appends its segment
};

/// How many files of a tree there were of each kind.
struct TreeMigrationCounts {
  std::uint64_t num_done = 0;
  std::uint64_t num_done_before = 0;  ///< by an earlier call with the same manifest; nothing is told of them
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;   ///< no regular files, containers already, or files that this call needs itself
  std::uint64_t num_doubtful = 0;  ///< of those that are done, by this call or an earlier one
  std::uint64_t num_deleted = 0;
  std::uint64_t num_kept = 0;  ///< though they were to go
  std::uint64_t num_left = 0;  ///< not tried: most files could not be opened, so that something is wrong with all of them
  IndexGeneration index{};     ///< what the call has appended to the index, where it has one
};

/// Migrates every file below the folder `from` to a container below the folder `to`, which has its name and ".phalanx". No
/// link is followed, and what is no foreign file is skipped. Any of the formats, one at least and none twice, may be that of
/// a file: where there are several, what opens it is found. What becomes of each file is appended to the file `manifest` and
/// made durable; the same call again goes on where this one was stopped or killed. What an earlier call was in doubt of is
/// looked at again at the end: where another key opens it now, and all of it is vouched for, its container is made anew, but
/// not with delete_source. Old files whose containers would have one name fail, and a file that the manifest says is done
/// keeps the name that its container has. With an index, a container of an earlier call is in it once it is opened and,
/// where its old file is there, compared. Throws Error: usage where the folders or the manifest do not fit each other,
/// another call is at work on them, or delete_source is given without verify; runtime where the manifest cannot be written,
/// or the call is cancelled; as verify_tree_index does about the index. What is wrong with a file is told, and the others go
/// on.
[[nodiscard]] TreeMigrationCounts migrate_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                               std::span<const ForeignFormat> formats, std::string_view suite,
                                               std::span<const Recipient> recipients,
                                               const TreeMigrationOptions& options = {});

/// What a call that only looks finds of one file of a tree.
enum class TreeVerdict : std::uint8_t {
  opens = 1,    ///< it would be migrated, as far as its beginning and its end tell
  fails = 2,    ///< it would not
  skipped = 3,  ///< it is none of those that are migrated
  done = 4,     ///< by an earlier call with the same manifest
  same = 5,     ///< its container opens, to what the old file holds if that is still there
  differs = 6,  ///< it does not, or cannot be read, or the old file cannot
};

struct TreeFileFinding {
  std::string name{};  ///< below the folder of the old files
  TreeVerdict verdict = TreeVerdict::skipped;
  ErrorCode code = ErrorCode::runtime;  ///< of one that fails or differs
  std::string detail{};                 ///< what opens it, or why it fails, is skipped or differs, in a line
  Doubt doubt{};                        ///< as Migrated::doubt: of one that opens, is done, or is the same
  std::uint64_t num_bytes = 0;          ///< of an old file that opens, of a container that is the same
};

/// Called for each file, by any thread, but one at a time: in order, but for doubtful ones, which come last. What it throws
/// ends the call.
using OnFinding = std::function<void(const TreeFileFinding&)>;

struct TreeFindingOptions {
  bool find_wrapping = false;                 ///< as in TreeMigrationOptions
  Binding binding{};                          ///< of the containers that are verified
  std::size_t num_jobs = 0;                   ///< as in TreeMigrationOptions
  std::vector<std::string> strip_suffixes{};  ///< the same
  OnFinding on_finding{};
  OnProgress on_progress{};  ///< of what is read where containers are verified
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
};

/// How many files of a tree there are of each kind.
struct TreeFindingCounts {
  std::uint64_t num_opening = 0;
  std::uint64_t num_failing = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_done = 0;
  std::uint64_t num_same = 0;
  std::uint64_t num_differing = 0;
  std::uint64_t num_doubtful = 0;  ///< of those that open, are done or are the same
  std::uint64_t num_bytes = 0;     ///< of the old files that open, or of the containers that are the same
};

/// Says of each file below `from` what migrate_tree with these formats would do. Reads its beginning and its end, of a file
/// up to 1 MiB all of it, and writes nothing: neither `to` nor `manifest` need be there. Throws as migrate_tree.
[[nodiscard]] TreeFindingCounts preview_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                             std::span<const ForeignFormat> formats, const TreeFindingOptions& options = {});

/// Reads every container that the manifest says is done, with each of the identities, which must all open it, and compares
/// it with the old file where that is still there. Writes nothing. Throws Error: usage where there is no such manifest, or
/// it tells of no file that is done, and as migrate_tree.
[[nodiscard]] TreeFindingCounts verify_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                            std::span<const ForeignFormat> formats, std::span<const Identity> identities,
                                            const TreeFindingOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
