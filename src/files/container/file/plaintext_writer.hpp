// This writes the plaintext of a container to a file, and goes on with one that a killed run began.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/output/output.hpp"

namespace phalanx {

/// Decrypting seals nothing, so written bytes need no rule but that they are there. OUT.phalanx-record has a place for each
/// piece that was written and is on the disk, with a MAC of its plaintext. The key of the MAC comes from the message's key
/// alone. A run that continues reads such pieces back from the disk, and leaves them where all MACs agree. It opens and
/// writes all others once more. So nothing is assumed about the order in which pieces were written, nor about the effect of
/// a crash. If a MAC does not agree, or the written pieces cannot be synced, nothing of that file is trusted: a new one is
/// begun.
class PlaintextFileWriter {
 public:
  /// Begins a file in `output`, which is open, or goes on with the file there, if `output` was opened to resume. Throws
  /// Error (format, usage) for a partial file that is another's, or of another message, and changes nothing then.
  /// `sealed_bytes` is the size of all chunks, where it is known; else all is written once more. All arguments stay the
  /// caller's.
  PlaintextFileWriter(const ChunkedCipher& cipher, Output& output, std::optional<std::uint64_t> sealed_bytes,
                      const RunOptions& options);
  ~PlaintextFileWriter();
  PlaintextFileWriter(const PlaintextFileWriter&) = delete;
  PlaintextFileWriter& operator=(const PlaintextFileWriter&) = delete;

  /// Returns the bytes that an earlier run had written, as it recorded them, or 0 for a file begun now.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Says whether this run began afresh, in a new file, since the disk did not give back what an earlier run had written.
  [[nodiscard]] bool is_lost() const;

  /// Opens all that the reader gives in pieces of sealed_piece_bytes, and writes each piece once all of it is authentic.
  /// Throws Error: authentication, truncated, runtime.
  void write(PieceReader& reader, Progress& progress);

  /// Commits the output. After that it cannot be continued.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
