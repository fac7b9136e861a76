// Migrating one file: old ciphertext in, container out, in one pass; then the container is read back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "files/container/file/resumable_writer.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/search/candidates.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/foreign/search/key_evidence.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/progress.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

/// All files of a run share these settings. Nothing but the trials and the removals changes in them, so files may be
/// migrated side by side.
struct Migration {
  Candidates candidates;
  ContainerJob container;   ///< whose binding has a name only where there is one container, and it is given
  bool bind_names = false;  ///< each container is bound to its target's name
  bool verify = true;
  bool sha256 = false;    ///< of each plaintext too
  bool preserve = false;  ///< OUT gets the time, permissions, owner and extended attributes of IN
  ProtectedFiles needed;
  mutable KeyTrials trials;
  mutable OwnRemovals removals;  ///< of old files
  bool body_facts = false;       ///< of each container are wanted,
  bool body_digest = false;      ///< with the digest of the body
  PlaintextMacKey mac_key{};     ///< by which both readings are compared
};

/// A migration tells this when the old file is open and OUT begun.
struct MigrationBeginning {
  const OldMessage& old_message;
  const MatchedCandidate& choice;
  const ContainerFileWriter& writer;
  const AtomicFile* file;  ///< which becomes OUT; nullptr where OUT is written straight
};

struct MigrationTarget {
  std::string out;
  std::string name{};            ///< which OUT has in its tree, or by itself, without the suffix; "": none
  bool made_up = false;          ///< the user did not give this name
  bool force = false;            ///< replace OUT
  bool can_resume = false;       ///< the caller could have set `resume`
  bool resume = false;           ///< go on with OUT.phalanx-partial, and keep it if the run is stopped
  bool may_replace = true;       ///< the caller could set `force`, and messages say so
  bool discard_errors = false;   ///< with `resume`: not where an error ends it
  bool is_brief = false;         ///< OUT is made so fast that a later run begins it anew
  SharedSync* shared = nullptr;  ///< makes OUT durable, together with others; the caller's
  std::function<void(const MigrationBeginning&)> on_beginning{};
  OutputSettingNames names{};
};

/// A migration returns this about the old file and its container.
struct MigratedFile {
  FileStamp source;
  FileStamp container;  ///< of OUT, where it is a file
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t plain_bytes = 0;
  bool is_out_durable = false;                        ///< the name OUT is on the disk
  bool verified = false;                              ///< OUT was read back, and gave the plaintext of IN
  ContentSource verified_from = ContentSource::disk;  ///< and was read from there
  std::string unshown{};  ///< as OpenedForAll has it, and what to do, where another run made OUT's header
  std::string mac;        ///< of the plaintext, under the migration's key
  std::string sha256;     ///< the same in hex, where it was asked for
  std::string digest;     ///< which `openssl enc` took for the passphrase
  KeyEvidence evidence;   ///< what IN was opened with, and what speaks for that

  std::vector<std::string> lost_attributes;  ///< names of extended attributes that OUT could not keep
  BodyFacts body;                            ///< of OUT, where that is wanted
};

/// Throws Error (usage) for sectors that would straddle the pieces of a container. `setting` is the caller's word for
/// their size.
void check_sectors(const MessagePlan& plan, const std::string& setting);

/// Migrates IN to OUT. With `verify`, OUT gets its name only once it was read back and gave the same plaintext. Throws
/// Error as ForeignMessage and its stages do for IN, and as ContainerFileWriter does for OUT. It also throws Error:
/// authentication where OUT, read back, gives another plaintext, and runtime where IN changed meanwhile.
///
/// `progress` counts the bytes that are read, of IN and then of OUT.
MigratedFile migrate_file(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress);

/// An old file that was begun, and looked at no further.
struct OpenedBeginning {
  KeyEvidence evidence;  ///< as its beginning and its end have it, of a file of one piece all of it
  SecretBytes plain;     ///< of the first piece
  std::size_t plain_bytes = 0;
  bool is_whole = false;  ///< that is all
};

/// Returns the key that IN would be opened with, and the evidence for it, as far as its beginning and its end tell.
/// Throws UndecryptableFile.
[[nodiscard]] OpenedBeginning open_beginning(const Migration& migration, Input& input);

/// Decrypts IN and writes it nowhere: all of MigratedFile that is about IN. Throws as migrate_file does for IN.
[[nodiscard]] MigratedFile read_old_file(const Migration& migration, Input& input, Progress& progress);

/// A read container gives these facts.
struct ReadContainer {
  FileStamp stamp;
  std::uint64_t num_bytes = 0;                 ///< of the file
  std::string mac;                             ///< of its plaintext, under the migration's key
  std::string unshown{};                       ///< as OpenedForAll has it
  BodyFacts body;                              ///< where that is wanted
  ContentSource source = ContentSource::disk;  ///< of all of that
};

/// Syncs OUT, which stands at its beginning and has this name, reads it from the disk, opens it with each recipient of the
/// migration, and authenticates all of it. Throws as read_back_mac and open_for_all do, and Error (runtime) where it cannot
/// be read.
[[nodiscard]] ReadContainer read_container(const Migration& migration, const std::string& name, Input& out,
                                           Progress& progress);

/// Reads an IN and an OUT that are both there, compares, and makes OUT durable. Throws Error (usage) if OUT does not hold
/// IN's plaintext, or does not open for every recipient.
MigratedFile compare_migrated(const Migration& migration, Input& input, const MigrationTarget& target, Progress& progress);

}  // namespace phalanx
