// What lets a killed run that seals a container go on, without ever sealing a chunk twice with different content.
//
// A chunk's key and nonce come from the data key, the message's salt and the chunk's number: sealing other content as the
// same chunk would reuse a nonce, and two such tags and ciphertexts give away the XOR of both plaintexts and GCM's hash key.
// A killed run leaves OUT.phalanx-partial, and some of what it sealed may be on the disk, in whatever order the system wrote
// it back. So the run that continues must know what was sealed as each chunk of which a byte may have reached the disk, even
// if the byte itself is lost.
//
// Hence one rule: no byte of a piece's ciphertext (stages.hpp: 64 chunks) is written before a record of all its
// tags is durable. A run that continues seals every piece again, in memory; where there is a record, the piece is written
// only if all its tags are the recorded ones, else the run ends. Where there is none, nothing of the piece was ever written.
// So the rule needs no order: any thread may write any piece at any time, and nothing is assumed about what the disk did
// with the ciphertext. A torn record counts as none.
//
// What is on the disk is another question, and the file as the system shows it does not answer that: where a write to the
// disk failed, its cache has what was written all the same. So from time to time the partial file is synced, and where that
// comes back without an error, each piece that was written before gets a mark in its record. A run that continues believes
// what is marked, and nothing else. It reads that from the disk, and authenticates it. All behind the last such piece is
// cut off, and written once more. Where a piece that is marked does not verify, or the partial file cannot be synced,
// nothing of that inode is believed: a new one is begun, under new keys. Records are read from the disk too, and copied to
// a new file before a run goes on by them: what is written to an inode that has lost something may be lost again.
//
// The last piece's record has the length of the whole message, too: that was settled before the piece was sealed, and a run
// that continues seals just so much, whatever has been appended to IN since. Before that record is durable no byte of the
// last piece is on the disk, and any length is as good.
//
// A record holds no tag. Somebody who looks at the disk twice could see two tags of one chunk, the first in a record that
// became torn, the second of a changed IN: just what the rule must prevent. Instead of each tag it holds a MAC of
// the chunk's number and the tag, under a key of its own (HKDF of the message's input key and prefix): equal for equal
// content, and telling nothing else.
//
// Records lie beside the partial file, in OUT.phalanx-record: a copy of the container's beginning, so that the data key is
// known even if the partial file's own beginning never reached the disk, and then one place for each piece. The partial file
// is first written when the record file holds that copy. Thus a partial file with something in it and no record file is not
// ours to continue.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/container/file/stages.hpp"
#include "files/libcrypto/cmac.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/paths.hpp"

namespace phalanx {

/// The tags of a piece's chunks, as a record holds them.
using TagMacs = std::vector<Cmac>;

/// What records tell of.
struct RecordKind {
  const char* magic;   ///< 16 bytes
  const char* label;   ///< of the key
  bool marks = false;  ///< a record says nothing of the disk, but by its mark
};

/// Pieces that were sealed, each recorded before a byte of it is written: the rule above.
inline constexpr RecordKind sealed_records{"phalanx resume 4", "phalanx resume record", true};
/// Pieces of plaintext, each recorded once it is on the disk (plaintext_writer.hpp).
inline constexpr RecordKind written_records{"phalanx written2", "phalanx written record"};

inline constexpr std::size_t records_key_bytes = 64;  ///< what RecordFile::use takes

class RecordFile {
 public:
  /// For a partial file that is open and locked; that lock keeps other users of the record file away too. Opens the record
  /// file if there is one. Throws Error: format if that is not a record file of ours, runtime if it cannot be read.
  explicit RecordFile(const AtomicFile& file, const RecordKind& kind = sealed_records);

  /// One that another process has begun, and holds its partial file: open at `path`, under that process's keys(). Throws
  /// Error (runtime) if it is not whole.
  RecordFile(FileDescriptor file, std::string path, Bytes keys, const RecordKind& kind);

  /// Removes the record file if the partial file goes too.
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Of records, and then of tags; once it is in use.
  static constexpr std::size_t all_keys_bytes = records_key_bytes + cmac_key_bytes;
  [[nodiscard]] Bytes keys() const { return keys_; }

  /// What the message began with: its header, if it has one, and its prefix. Nothing if no run got so far.
  [[nodiscard]] const std::optional<std::vector<std::uint8_t>>& beginning() const { return beginning_; }

  /// Begins a new record file, in place of one that is there.
  void begin(std::vector<std::uint8_t> beginning);

  /// From now on records are made and known by this key: the message's input key, with its prefix.
  void use(Bytes input_key, const MessagePrefix& prefix);

  /// Any number of threads at once.
  [[nodiscard]] TagMacs macs_of(std::uint64_t first_chunk, Bytes tags) const;

  struct Record {
    std::uint64_t piece;
    TagMacs macs;
    std::optional<std::uint64_t> message_bytes = std::nullopt;  ///< of plaintext, with the message's last piece
  };

  /// The record of a piece; nothing if there is none that is whole.
  [[nodiscard]] std::optional<Record> find_record(std::uint64_t piece) const;
  [[nodiscard]] std::optional<TagMacs> find(std::uint64_t piece) const;

  /// How long the message is, if that was settled: its last piece is recorded.
  [[nodiscard]] std::optional<std::uint64_t> message_bytes() const;

  /// One more than the number of the last piece that is recorded; pieces before it may not be.
  [[nodiscard]] std::uint64_t num_pieces() const;

  /// Writes records and makes them durable. One thread at a time, while others may call find and macs_of.
  void write(const std::vector<Record>& records);

  /// Marks the records of pieces that a sync of the partial file has made durable, and makes the marks durable. As write,
  /// and beside it.
  void mark(const std::vector<std::uint64_t>& pieces);

  /// Whether a piece was on the disk when its record was marked; of records without marks, when it was written.
  [[nodiscard]] bool is_on_disk(std::uint64_t piece) const;

  /// Copies what an earlier run recorded to a new file, which takes this one's place. Of `believed`, by the numbers of
  /// pieces, marks are kept; or records, of a kind without marks. Throws Error (runtime).
  void renew(const std::vector<bool>& believed);

  /// Where the records came from.
  [[nodiscard]] ContentSource source() const { return source_; }

  /// Removes the record file, once the container has its name.
  void remove();

 private:
  using RecordMac = std::array<std::uint8_t, 32>;

  [[nodiscard]] bool open_existing();
  [[nodiscard]] RecordMac mac_of(Bytes fields) const;
  [[nodiscard]] std::optional<RecordMac> mark_of(std::uint64_t piece, Bytes place) const;
  void write_beginning(int descriptor, const std::string& name) const;
  void sync();
  [[nodiscard]] std::uint64_t position_of(std::uint64_t piece) const;

  const AtomicFile* partial_;  // nullptr: another process's
  RecordKind kind_;
  std::string path_;
  FileDescriptor file_;
  FileIdentity identity_;
  ContentSource source_ = ContentSource::disk;
  std::mutex sync_mutex_;
  int sync_error_ = 0;  // of a sync that failed: for ever
  std::optional<RemoveOnSignal> removal_;
  std::optional<std::vector<std::uint8_t>> beginning_;
  SecretBytes keys_;  // of records, and of tags
};

/// Removes the partial file and the record file of the container `path`, if by the record file both are what a run of ours
/// left, and if no run that lives writes them. Returns whether it did.
bool remove_unfinished_container(const std::string& path);

/// Removes the record file of a container that is complete: a run that was killed right after the renaming leaves it.
void remove_stale_record(const std::string& path);

}  // namespace phalanx
