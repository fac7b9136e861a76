// These records let a killed run that seals a container go on, without ever sealing a chunk twice with different content.
//
// A chunk's key and nonce come from the data key, the message's salt and the chunk's number. Sealing other content as the
// same chunk would reuse a nonce. Two such tags and ciphertexts give away the XOR of both plaintexts and GCM's hash key. A
// killed run leaves OUT.phalanx-partial, and some of its sealed bytes may be on the disk, in whatever order the system wrote
// them back. So the run that continues must know the content of each chunk of which a byte may have reached the disk, even
// if the byte itself is lost.
//
// Hence one rule: no byte of a piece's ciphertext (stages.hpp: 64 chunks) is written before a record of all its tags is
// durable. A run that continues seals every piece again, in memory. If a piece has a record, it is written only if all its
// tags are the recorded ones, else the run ends. If it has none, nothing of the piece was ever written. So the rule needs no
// order: any thread may write any piece at any time, and nothing is assumed about the disk and the ciphertext. A torn record
// counts as none.
//
// The file as the system shows it does not say what is on the disk. If a write to the disk failed, the system's cache still
// has the written bytes. So from time to time the partial file is synced. If that returns without an error, each piece that
// was written before gets a mark in its record. A run that continues trusts marked pieces alone. It reads them from the
// disk, and authenticates them. All behind the last such piece is cut off, and written once more. If a marked piece does not
// verify, or the partial file cannot be synced, nothing of that inode is trusted: a new one is begun, under new keys.
// Records are read from the disk too, and copied to a new file before a run goes on by them. An inode that has lost
// something may lose later writes again.
//
// The last piece's record has the length of the whole message, too. It was settled before the piece was sealed. A run that
// continues seals just so much, whatever has been appended to IN since. Before that record is durable no byte of the last
// piece is on the disk, and any length is as good.
//
// A record holds no tag. Somebody who looks at the disk twice could see two tags of one chunk, the first in a record that
// became torn, the second of a changed IN. The rule must prevent just that. Instead of each tag it holds a MAC of the
// chunk's number and the tag, under a key of its own (HKDF of the message's input key and prefix). That MAC is equal for
// equal content, and tells nothing else.
//
// Records lie beside the partial file, in OUT.phalanx-record. It has a copy of the container's beginning, so that the data
// key is known even if the partial file's own beginning never reached the disk. Behind it there is one place for each piece.
// The partial file is first written when the record file holds that copy. So a partial file with something in it and no
// record file is not ours to continue.
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

/// Holds the tags of a piece's chunks, as a record has them.
using TagMacs = std::vector<Cmac>;

/// Says what records are about.
struct RecordKind {
  const char* magic;   ///< 16 bytes
  const char* label;   ///< label of the key
  bool marks = false;  ///< only a record's mark says that the piece is on the disk
};

/// These are pieces that were sealed. Each is recorded before a byte of it is written, by the rule above.
inline constexpr RecordKind sealed_records{"phalanx resume 4", "phalanx resume record", true};
/// These are pieces of plaintext. Each is recorded once it is on the disk (plaintext_writer.hpp).
inline constexpr RecordKind written_records{"phalanx written2", "phalanx written record"};

inline constexpr std::size_t records_key_bytes = 64;  ///< size of what RecordFile::use takes

class RecordFile {
 public:
  /// Opens the record file of a partial file that is open and locked, if there is one. That lock keeps other users of the
  /// record file away too. Throws Error: format if it is not a record file of ours, runtime if it cannot be read.
  explicit RecordFile(const AtomicFile& file, const RecordKind& kind = sealed_records);

  /// Opens the record file at `path` that another process has begun, and whose partial file that process holds, under its
  /// keys(). Throws Error (runtime) if it is not whole.
  RecordFile(FileDescriptor file, std::string path, Bytes keys, const RecordKind& kind);

  /// Removes the record file if the partial file goes too.
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the key of records, and then that of tags, once the file is in use.
  static constexpr std::size_t all_keys_bytes = records_key_bytes + cmac_key_bytes;
  [[nodiscard]] Bytes keys() const { return keys_; }

  /// Returns the message's beginning: its header, if it has one, and its prefix. Returns nothing if no run got so far.
  [[nodiscard]] const std::optional<std::vector<std::uint8_t>>& beginning() const { return beginning_; }

  /// Begins a new record file, in place of one that is there.
  void begin(std::vector<std::uint8_t> beginning);

  /// Makes and checks records from now on by this key: the message's input key, with its prefix.
  void use(Bytes input_key, const MessagePrefix& prefix);

  /// Any number of threads may call it at once.
  [[nodiscard]] TagMacs macs_of(std::uint64_t first_chunk, Bytes tags) const;

  struct Record {
    std::uint64_t piece;
    TagMacs macs;
    std::optional<std::uint64_t> message_bytes = std::nullopt;  ///< bytes of plaintext, with the message's last piece
  };

  /// Returns the record of a piece, or nothing if there is none that is whole.
  [[nodiscard]] std::optional<Record> find_record(std::uint64_t piece) const;
  [[nodiscard]] std::optional<TagMacs> find(std::uint64_t piece) const;

  /// Returns the size of the message, if that was settled: its last piece is recorded.
  [[nodiscard]] std::optional<std::uint64_t> message_bytes() const;

  /// Returns one more than the number of the last piece that is recorded. Pieces before it may have no record.
  [[nodiscard]] std::uint64_t num_pieces() const;

  /// Writes records and makes them durable. One thread at a time may call it, while others may call find and macs_of.
  void write(const std::vector<Record>& records);

  /// Marks the records of pieces that a sync of the partial file has made durable, and makes the marks durable. It may run
  /// beside write, with the same rule for threads.
  void mark(const std::vector<std::uint64_t>& pieces);

  /// Says whether a piece was on the disk when its record was marked, or written, for records without marks.
  [[nodiscard]] bool is_on_disk(std::uint64_t piece) const;

  /// Copies an earlier run's records to a new file, which takes this one's place. Marks of the `believed` pieces, by their
  /// numbers, are kept. For a kind without marks their records are kept. Throws Error (runtime).
  void renew(const std::vector<bool>& believed);

  /// Says where the records were read from.
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

  const AtomicFile* partial_;  // nullptr: another process's partial file
  RecordKind kind_;
  std::string path_;
  FileDescriptor file_;
  FileIdentity identity_;
  ContentSource source_ = ContentSource::disk;
  std::mutex sync_mutex_;
  int sync_error_ = 0;  // the failure of a sync, which lasts
  std::optional<RemoveOnSignal> removal_;
  std::optional<std::vector<std::uint8_t>> beginning_;
  SecretBytes keys_;  // keys of records, and of tags
};

/// Removes the partial file and the record file of the container `path`. The record file must show that a run of ours left
/// both, and no living run may write them. Returns whether it removed them.
bool remove_unfinished_container(const std::string& path);

/// Removes the record file of a container that is complete. A run that was killed right after the rename leaves it.
void remove_stale_record(const std::string& path);

}  // namespace phalanx
