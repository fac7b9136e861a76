// What lets a killed run that seals a container go on, without ever sealing a chunk twice with different content.
//
// A chunk's key and nonce come from the data key, the message's salt and the chunk's number: sealing other content as the same chunk
// would reuse a nonce, which gives away the XOR of both plaintexts and GCM's hash key. A killed run leaves OUT.phalanx-partial, and
// some of what it sealed may be on the disk already, in whatever order the system wrote it back. So the run that continues must know
// what was sealed as each chunk of which a byte may have reached the disk, even if the byte itself is lost.
//
// Hence records. Before any byte of a group of pieces (pipeline.hpp: 256 chunks each) is written to the partial file, a record of the
// tags of all chunks of the group is written behind the place where the group will end, and made durable together with
// everything before the group: one fdatasync does both. Only then is the group written, over the record before it. In this order, whatever the
// moment of the kill and whatever the disk did with what was not yet durable:
//  - The newest durable record is whole: a record overlaps neither its own group nor the record before it, and is overwritten only
//    by a group whose own, newer record is durable. A newer record may be torn or whole; in both cases nothing of its group was written.
//  - All that stands before the group of the newest whole record is durable and final. Within the group, any byte may be there or
//    not. Behind it, no byte of ciphertext was ever written, but for records.
// The continuing run takes the newest whole record. Each chunk before its group is read back, opened and compared with what IN
// holds now; nothing is sealed there. Each piece of the group is sealed again in memory, and written only if all its tags are those of the record;
// what comes after was never sealed. A tag is a digest of its chunk under the chunk's own key and nonce: another content gets the same
// one with a probability of at most 2^-117, it will stand in the finished file, and tells nothing of the plaintext. Any difference ends
// the run before a byte is written: IN is not what it was, and only a fresh start with fresh keys can seal it.
//
// Where there is no whole record the run starts afresh with new keys. That is so up to records_from_bytes, since files which
// are so quickly sealed shall not wait for the disk, and between the removal of the last record and the renaming of the complete file.
//
// This holds against kills, crashes and lost power, not against someone who puts an older copy of the partial file in its place; he could
// as well have copied each state of the disk. The MAC of a record, under a key derived from the data key, tells whole from torn ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/secret_bytes.hpp"
#include "formats/chunked_encryption.hpp"
#include "io/container_stages.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Up to how much ciphertext nothing is recorded: at most four pieces are sealed anew.
inline constexpr std::uint64_t records_from_bytes = 4 * sealed_piece_bytes;

/// The tags of consecutive chunks, from the beginning of a piece on.
struct ResumeRecord {
  std::uint64_t first_chunk = 0;
  std::vector<std::uint8_t> tags;  ///< chunk_tag_bytes each

  [[nodiscard]] std::uint64_t end_chunk() const { return first_chunk + tags.size() / chunk_tag_bytes; }
};

/// Every record takes this much of the file: the tags of all chunks that can be in flight, and what tells it whole.
inline constexpr std::size_t record_bytes = 32768;
inline constexpr std::size_t max_recorded_tags_bytes = record_bytes - 64;

/// The records of one message in a partial file.
class RecordFile {
 public:
  /// `body_position` is where the chunks begin. The key, derived from the message's input key and bound to its prefix, is kept; the
  /// descriptor stays the caller's.
  RecordFile(int descriptor, std::string name, std::uint64_t body_position, Bytes input_key, const MessagePrefix& prefix);

  /// The newest whole record, nothing if there is none.
  [[nodiscard]] std::optional<ResumeRecord> newest();

  /// Writes a record behind `group_end`, the position where its group will end, and makes it durable with all that was written before.
  void write(const ResumeRecord& record, std::uint64_t group_end);

 private:
  using Mac = std::array<std::uint8_t, 32>;

  [[nodiscard]] std::optional<ResumeRecord> read(std::uint64_t position) const;
  [[nodiscard]] Mac mac_of(Bytes fields, Bytes tags) const;

  int descriptor_;
  std::string name_;
  std::uint64_t body_position_;
  SecretBytes key_;
  std::uint64_t last_record_end_ = 0;
};

}  // namespace phalanx
