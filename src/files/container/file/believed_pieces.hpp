// What a run that goes on believes of the file that an earlier run began: pieces that were recorded once a sync had made
// them durable, and that are found so where the file is read. It was opened to be continued (AtomicFile), and nothing of it
// is in the system's memory any more, where that could be done.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/output/atomic_file.hpp"

namespace phalanx {

/// By the numbers of pieces, up to the last one that is believed. The last piece of a message never is.
using BelievedPieces = std::vector<bool>;

/// Of sealed pieces, from `body_position` on. Reads and authenticates those that are marked. Nothing where one of them is
/// not as it was recorded: then the file has lost what a sync said it had, and is not gone on with.
[[nodiscard]] std::optional<BelievedPieces> believed_sealed_pieces(const ChunkedCipher& cipher, const AtomicFile& file,
                                                                   std::uint64_t body_position, const RecordFile& records,
                                                                   const RunOptions& options);

/// The same of pieces of plaintext, of which the whole has `plain_bytes`; `key` is that of the records' MACs.
[[nodiscard]] std::optional<BelievedPieces> believed_written_pieces(const PlaintextMacKey& key, const AtomicFile& file,
                                                                    std::uint64_t plain_bytes, const RecordFile& records,
                                                                    const RunOptions& options);

/// Before anything is written: a new file has the records of what is believed, and all else is cut off. Pieces of
/// piece_bytes lie from `position` on. Throws Error (runtime).
void keep_believed(AtomicFile& file, RecordFile& records, BelievedPieces believed, std::uint64_t position,
                   std::uint64_t piece_bytes);

}  // namespace phalanx
