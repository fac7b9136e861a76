// The journal keeps the ciphertext of the piece that is being overwritten. So a killed run over a file in place can go
// on.
//
// The journal lies beside the file, as FILE.phalanx-journal, until the file is done. It is a header and two slots, used
// in turn. Piece k of the file goes through these steps:
// - Its ciphertext (the new content when encrypting, the old one when decrypting) goes to slot k % 2 and is made
//   durable.
// - The piece is overwritten and made durable.
// - Then piece k + 1 may come.
//
// So the newest whole record tells all. The pieces before its own are done. Its own can be made again from it, whatever
// state it is in. The pieces after it are untouched. A record torn by the crash leaves the one before it, whose piece
// is made once more. No plaintext and no key stream is ever in the journal. The key is there only as a salted
// HMAC-SHA-256 that tells whether another run has the same one.
//
// A journal that is found is read from the disk, and copied to a new file, which takes its name once it is durable. A
// record that a sync failed on is in the system's memory alone, and is not believed. Bytes that are written to an inode
// that has lost something may be lost again. The file itself is read from the disk, too, but it keeps its inode. So the
// piece that was at work is read back, from the disk, before another record says that it is done.
//
// A file that was replaced, restored or changed since must not be "continued": old and new data would be mixed. So the
// header names the file's device, inode and size. Each record has the keyed digests of the pieces that tell how far the
// file is: the first, the last one done, the next one to do and the last.
//
// If no record is whole, either nothing of the file was overwritten yet, or the journal was damaged since. In the
// second case done pieces would be crypted twice. So the header has the keyed digests of the first and the last piece,
// too, as they were before the run. A run begins anew only where both are so, the journal has the length that was
// reserved, and its second slot is zero. The first slot may be torn by a kill, but nothing comes to the second before
// the first has a whole record.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <phalanx/bytes.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
#include <string>
#include <string_view>

#include "engine/secrets/secret_bytes.hpp"
#include "files/pipeline/piece.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/output_mapping.hpp"

namespace phalanx {

/// A journal begins with these bytes.
inline constexpr std::string_view journal_magic = "phalanx journal4";
/// A journal of an earlier version begins with these. Its header has no digests of pieces. A run goes on by the rest of
/// it.
inline constexpr std::string_view earlier_journal_magic = "phalanx journal3";

/// Two runs are the same command on the same file if these agree.
struct JournalIdentity {
  std::string parameters;  ///< cipher, direction, iv, sizes, as text
  Bytes key;
  FileIdentity file{};
  std::uint64_t file_bytes = 0;
  std::uint64_t num_pieces = 1;
  std::function<SecretBytes(std::uint64_t piece)> read_piece{};  ///< of the file, as it is
  int num_threads = 0;                                           ///< for digests and for writing long pieces; 0: all
  std::string why_not_anew{};                                    ///< why there must be a journal; "" if one may be begun
  bool was_begun = false;   ///< this journal was whole once: one without a beginning is damaged
  bool any_device = false;  ///< do not compare device and inode: a restart may have given the file's disk another number
  std::string any_device_name = "`any_device`";  ///< the caller's name for it, for messages
};

using PieceDigest = std::array<std::uint8_t, 32>;

/// One piece's ciphertext, and what the file holds around it; digests of pieces that there are not, or that are the piece
/// itself, are zeros.
struct JournalRecord {
  std::uint64_t piece = 0;
  ChainValue preceding;  ///< the ciphertext block before the piece (CBC, CFB)
  std::size_t size = 0;
  PieceDigest content{};    ///< of the piece's ciphertext
  PieceDigest first{};      ///< of piece 0, which is done
  PieceDigest last_done{};  ///< of the piece before
  PieceDigest next{};       ///< of the piece behind, untouched
  PieceDigest last{};       ///< of the last piece, untouched
};

/// The run that was stopped cannot go on by its journal.
class DamagedJournal : public Error {
 public:
  using Error::Error;
};

class Journal {
 public:
  /// Opens the journal at `path`, or creates it with room for pieces of up to `slot_bytes`. So a full disk shows before
  /// anything is overwritten. Throws Error:
  /// - usage if there is none and none may be begun, or it belongs to another command or a run that still lives,
  /// - format if it belongs to another file, or is not ours,
  /// - wrong_key if it belongs to another key,
  /// - runtime if it is damaged or cannot be written.
  Journal(std::string path, const JournalIdentity& identity, std::size_t slot_bytes);

  /// Computes HMAC-SHA-256 of a piece's content and number, under a key of this journal and the cipher's key. A piece
  /// that is longer than default_piece_bytes has digests of its parts, and their HMAC.
  [[nodiscard]] PieceDigest digest_of(std::uint64_t piece, Bytes content) const;

  /// The newest whole record, its ciphertext in `content`, which has at least slot_bytes; nothing if none was written, and
  /// nothing of the file overwritten. Throws Error (runtime) where that is not certain: the journal is damaged.
  std::optional<JournalRecord> newest(MutableBytes content) const;

  /// Returns whether the file has the pieces around the record's own that the record names.
  [[nodiscard]] bool is_around(const JournalRecord& record) const;

  /// Before anything is done by its word: another file, with room of its own, has what the disk had of it, and takes its
  /// name. The inode that an earlier run wrote to may have lost something, and may lose more. Throws Error (runtime).
  void renew();

  /// Writes a record and makes it durable. `content` has record.size bytes.
  void write(const JournalRecord& record, Bytes content);

  /// The file is done, or untouched: removes the journal.
  void remove();

  /// Returns the digest of the last piece, where nothing of the file was overwritten.
  [[nodiscard]] PieceDigest untouched_last() const;

  /// Returns whether this run made the journal.
  [[nodiscard]] bool is_new() const { return is_new_; }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t salt_bytes = 16;
  struct Untouched {
    PieceDigest first, last;
    [[nodiscard]] bool operator==(const Untouched& other) const = default;
  };

  bool open_existing(const JournalIdentity& identity);
  void write_content(Bytes content, std::uint64_t position);
  [[nodiscard]] bool is_blank() const;
  void create(const JournalIdentity& identity);
  void reserve(int descriptor, std::uint64_t num_bytes) const;
  [[nodiscard]] bool has_records_of_the_file() const;
  [[noreturn]] void throw_of_another_file(const JournalIdentity& identity) const;
  [[noreturn]] void throw_in_use() const;
  void require_durable_name() const;
  void write_header(const JournalIdentity& identity);
  void check_identity(const JournalIdentity& identity);
  [[noreturn]] void throw_damaged() const;
  void require_unused() const;
  [[nodiscard]] bool is_zero_from(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t reserved_bytes() const;
  [[nodiscard]] Untouched untouched_pieces() const;
  void derive_key(Bytes key);
  [[nodiscard]] PieceDigest parameters_digest(const JournalIdentity& identity) const;
  [[nodiscard]] PieceDigest key_check() const;
  [[nodiscard]] PieceDigest file_digest(const JournalIdentity& identity) const;
  [[nodiscard]] std::uint64_t slot_position(std::uint64_t piece) const;
  std::optional<JournalRecord> read_slot(std::uint64_t slot, MutableBytes content) const;

  std::string path_;
  std::size_t slot_bytes_;
  int num_threads_;
  std::uint64_t num_pieces_;
  std::function<SecretBytes(std::uint64_t)> read_piece_;
  bool is_new_ = false;                 // this run made it
  bool is_earlier_ = false;             // an earlier version did
  std::optional<Untouched> untouched_;  // as the header has them; nothing in an earlier version's
  FileDescriptor file_;
  FileIdentity own_identity_;
  std::unique_ptr<OutputMapping> mapping_;
  std::array<std::uint8_t, salt_bytes> salt_{};
  SecretBytes key_;
};

}  // namespace phalanx
