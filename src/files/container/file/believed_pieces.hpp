// A run that goes on trusts some pieces of the file that an earlier run began. They were recorded once a sync had made them
// durable, and they are found so where the file is read. The file was opened to be continued (AtomicFile). Its pages were
// dropped from the system's memory, where that could be done.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/output/atomic_file.hpp"

namespace phalanx {

/// Marks the pieces that are trusted, by their numbers, up to the last one. The last piece of a message is never trusted.
using BelievedPieces = std::vector<bool>;

/// Reads and authenticates the marked sealed pieces, from `body_position` on. Returns nothing if one of them is not as it
/// was recorded. Then the file has lost data that a sync reported as durable, and the run does not go on with it.
[[nodiscard]] std::optional<BelievedPieces> believed_sealed_pieces(const ChunkedCipher& cipher, const AtomicFile& file,
                                                                   std::uint64_t body_position, const RecordFile& records,
                                                                   const RunOptions& options);

/// Does this for pieces of plaintext, of which the whole has `plain_bytes`. `key` is the key of the records' MACs.
[[nodiscard]] std::optional<BelievedPieces> believed_written_pieces(const PlaintextMacKey& key, const AtomicFile& file,
                                                                    std::uint64_t plain_bytes, const RecordFile& records,
                                                                    const RunOptions& options);

/// Prepares the file before anything is written: a new record file has the records of the trusted pieces, and all other
/// pieces are cut off. Pieces of piece_bytes lie from `position` on. Throws Error (runtime).
void keep_believed(AtomicFile& file, RecordFile& records, BelievedPieces believed, std::uint64_t position,
                   std::uint64_t piece_bytes);

}  // namespace phalanx
