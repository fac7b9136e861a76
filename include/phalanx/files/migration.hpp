// This header migrates files of old ciphertext to containers. phalanx.hpp has the conventions. IN and OUT are the files'
// paths; symbolic links are followed. Any number of threads may work on different files at once.
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
  bool sha256 = false;   ///< compute SHA-256 of the plaintext, which takes longer
  Binding binding{};     ///< the name is given, or there is none
  OnProgress on_progress{};
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
};

struct Migrated {
  std::uint64_t source_bytes = 0;     ///< bytes of IN
  std::uint64_t container_bytes = 0;  ///< bytes of OUT
  std::string sha256;                 ///< of the plaintext, in hex, where the options ask for it
  std::string digest;                 ///< as ForeignReader::digest
  /// Says why the old key may be wrong and the plaintext garbage. There is no doubt if one of these holds:
  /// - the plaintext is text wherever the migration looks
  /// - the plaintext is a PNG image whose sums are right
  /// - the plaintext begins as a known kind does, and is padded in CBC
  /// - the plaintext has enough padding; one byte is not enough, since a wrong key gives it in one of 256 files
  /// Keep the original of a doubtful file.
  Doubt doubt{};
};

/// Decrypts IN and seals it as OUT in one pass, and makes OUT durable. OUT appears only once it is complete; IN stays as it
/// is. After a failure the unfinished OUT is removed, unless `resume` keeps it. Throws Error with these codes:
/// - those of ForeignReader, about IN
/// - runtime: IN changed meanwhile, or a disk fails
/// - authentication: OUT does not read back as it was written
[[nodiscard]] Migrated migrate_file(const std::string& in, const ForeignFormat& format, const std::string& out,
                                    std::string_view suite, std::span<const Recipient> recipients,
                                    const MigrationOptions& options = {});

/// This says what became of an old file.
enum class MigratedAs : std::uint8_t { done = 1, failed = 2, skipped = 3 };

/// This is the result of one file of a tree.
struct TreeFileMigration {
  std::string name{};  ///< below the folder of the old files
  MigratedAs outcome = MigratedAs::done;
  ErrorCode code = ErrorCode::runtime;  ///< set where it failed
  std::string why{};                    ///< why it failed or was skipped, in a line
  std::uint64_t source_bytes = 0;       ///< bytes of the old file, where it is done
  std::uint64_t container_bytes = 0;    ///< bytes of its container
  bool verified = false;                ///< the container was read back
  std::string sha256{};                 ///< of the plaintext, in hex, where the options ask for it
  std::string found{};                  ///< the format that opened it, in words
  Doubt doubt{};                        ///< as Migrated::doubt
  bool deleted = false;                 ///< the old file was removed
  std::string kept{};                   ///< why the old file was kept, though it was to go and there is no doubt
  std::string container{};              ///< its container's name below the folder of the containers
};

/// This is called for each file that is tried, by any thread, but one at a time. The call comes once the file is done. For a
/// doubtful file it comes at the end, since later files may confirm its key. If it throws, the migration ends.
using OnMigrated = std::function<void(const TreeFileMigration&)>;

struct TreeMigrationOptions {
  bool verify = true;          ///< as in MigrationOptions
  bool preserve = true;        ///< containers and folders get times, permissions, owners and attributes of the old ones
  bool replace = false;        ///< replace what has a container's name; else it must be the container already
  bool sha256 = false;         ///< compute SHA-256 of each plaintext, which takes longer
  bool find_wrapping = false;  ///< find whether each file is base64, and whether it has a salt, whatever the formats say
  /// Removes each old file once its container is verified and durable, unless there is doubt. A container of an earlier call
  /// must open with what is given. For a public key nothing shows that, and the old file is kept.
  bool delete_source = false;
  bool delete_doubtful = false;  ///< with delete_source: doubtful ones too
  bool delete_volatile = false;  ///< with delete_source: also where containers lie in memory (tmpfs) and old files do not
  bool keep_going = false;       ///< try all files even if most of them cannot be opened
  Binding binding{};             ///< the context, and `below`
  bool bind_names = false;       ///< bind each container to its path below `to`, without ".phalanx"
  std::size_t num_jobs = 0;      ///< files at once; 0: as many as there are cores, 4 at most
  /// Lists suffixes to take off old names before ".phalanx" is put behind them, the longest that fits: ".des3".
  std::vector<std::string> strip_suffixes{};
  OnMigrated on_migrated{};
  OnProgress on_progress{};
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
  const TreeIndexOptions* index = nullptr;  ///< the caller's: an index of `to`, to which the call appends its segment
};

/// Counts the files of a tree by their results.
struct TreeMigrationCounts {
  std::uint64_t num_done = 0;
  std::uint64_t num_done_before = 0;  ///< done by an earlier call with the same manifest; on_migrated is not told of them
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;   ///< no regular files, containers already, or files that this call needs itself
  std::uint64_t num_doubtful = 0;  ///< doubtful ones of those that are done, by this call or an earlier one
  std::uint64_t num_deleted = 0;
  std::uint64_t num_kept = 0;  ///< old files that were kept, though they were to go
  std::uint64_t num_left = 0;  ///< not tried: most files could not be opened, so that something is wrong with all of them
  IndexGeneration index{};     ///< the segment that the call has appended to the index, where it has one
};

/// Migrates every file below the folder `from` to a container below the folder `to`, which has its name and ".phalanx". No
/// symbolic link is followed, and a file that is not foreign is skipped. Any of the formats, one at least and none twice,
/// may be that of a file: if there are several, the call finds the one that opens it. A failure of one file is told, and the
/// others go on.
///
/// The result of each file is appended to the file `manifest` and made durable. If the call comes again, it goes on where
/// this one was stopped or killed. It looks at doubtful files of earlier calls again at the end. If another key opens such a
/// file now, and all of it is confirmed, its container is made anew, but not with delete_source. Old files whose containers
/// would have one name fail. A file that the manifest says is done keeps the name of its container. With an index, a
/// container of an earlier call enters it once it is opened and, where its old file is there, compared.
///
/// Throws Error as verify_tree_index does about the index, and with these codes:
/// - usage: the folders or the manifest do not fit each other, another call is at work on them, or delete_source is given
///   without verify
/// - runtime: the manifest cannot be written, or the call is cancelled
[[nodiscard]] TreeMigrationCounts migrate_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                               std::span<const ForeignFormat> formats, std::string_view suite,
                                               std::span<const Recipient> recipients,
                                               const TreeMigrationOptions& options = {});

/// This is the finding about one file of a tree, by a call that only looks.
enum class TreeVerdict : std::uint8_t {
  opens = 1,         ///< it would be migrated, as far as its beginning and its end tell
  fails = 2,         ///< it would not be migrated, since it does not open
  skipped = 3,       ///< it is none of the files that are migrated
  done = 4,          ///< an earlier call with the same manifest has migrated it
  same = 5,          ///< its container opens, to what the old file holds if that is still there
  differs = 6,       ///< its container does not open to that, or one of the two cannot be read
  not_compared = 7,  ///< its container opens, and no format that was given opens the old file
};

struct TreeFileFinding {
  std::string name{};  ///< below the folder of the old files
  TreeVerdict verdict = TreeVerdict::skipped;
  ErrorCode code = ErrorCode::runtime;  ///< set where it fails, differs or is not compared
  std::string detail{};                 ///< the format that opens it, or why it has another verdict, in a line
  Doubt doubt{};                        ///< as Migrated::doubt, where it opens, is done, the same or not compared
  std::uint64_t num_bytes = 0;          ///< bytes of an old file that opens, or of a container that is opened
};

/// This is called for each file, by any thread, but one at a time. Files come in order, but doubtful ones come last. If it
/// throws, the call ends.
using OnFinding = std::function<void(const TreeFileFinding&)>;

struct TreeFindingOptions {
  bool find_wrapping = false;                 ///< as in TreeMigrationOptions
  Binding binding{};                          ///< that of the containers that are verified
  std::size_t num_jobs = 0;                   ///< as in TreeMigrationOptions
  std::vector<std::string> strip_suffixes{};  ///< as in TreeMigrationOptions
  OnFinding on_finding{};
  OnProgress on_progress{};  ///< is told of the bytes that are read where containers are verified
  EngineOptions engine{};
  const Cancellation* cancellation = nullptr;
};

/// Counts the files of a tree by their findings.
struct TreeFindingCounts {
  std::uint64_t num_opening = 0;
  std::uint64_t num_failing = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_done = 0;
  std::uint64_t num_same = 0;
  std::uint64_t num_differing = 0;
  std::uint64_t num_doubtful = 0;  ///< doubtful ones of those that open, are done, are the same or are not compared
  std::uint64_t num_bytes = 0;     ///< bytes of the old files that open, or of the containers that are the same
  std::uint64_t num_not_compared = 0;
};

/// Says what migrate_tree with these formats would do with each file below `from`. Reads its beginning and its end, or all
/// of a file up to 1 MiB. Writes nothing: neither `to` nor `manifest` need be there. Throws as migrate_tree does.
[[nodiscard]] TreeFindingCounts preview_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                             std::span<const ForeignFormat> formats, const TreeFindingOptions& options = {});

/// Reads every container that the manifest says is done, with each of the identities, which must all open it. Compares it
/// with the old file where that is still there and one of the formats opens it; without any format, no old file is compared.
/// Writes nothing. Throws as migrate_tree does, and Error (usage) where there is no such manifest, or it lists no file that
/// is done.
[[nodiscard]] TreeFindingCounts verify_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                            std::span<const ForeignFormat> formats, std::span<const Identity> identities,
                                            const TreeFindingOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
