// Writing what a container opens to into a file, and going on with one that a killed run began.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/output/output.hpp"

namespace phalanx {

/// Decrypting seals nothing: what was written needs no rule but that it is there. OUT.phalanx-record has a place for each
/// piece that was written and is on the disk, with a MAC of its plaintext under a key that only the message's key gives. A
/// run that continues reads such pieces back from the disk, and leaves them where all MACs agree; all others it opens and
/// writes once more. So nothing is assumed of the order in which pieces were written, nor of what a crash left of them.
/// Where a MAC does not agree, or what was written cannot be synced, nothing of that file is believed: a new one is begun.
class PlaintextFileWriter {
 public:
  /// Begins, in `output`, which is open; or, where that was opened to resume, goes on with what is there. Throws Error
  /// (format, usage) for a partial file that is another's, or of another message, and changes nothing then. `sealed_bytes`,
  /// where it is known, is how much comes; else all is written once more. All stay the caller's.
  PlaintextFileWriter(const ChunkedCipher& cipher, Output& output, std::optional<std::uint64_t> sealed_bytes,
                      const RunOptions& options);
  ~PlaintextFileWriter();
  PlaintextFileWriter(const PlaintextFileWriter&) = delete;
  PlaintextFileWriter& operator=(const PlaintextFileWriter&) = delete;

  /// Bytes that an earlier run had written, as it recorded them; 0 for a file begun now.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Whether the disk did not give back what an earlier run had put there, so that this run began afresh, in a new file.
  [[nodiscard]] bool is_lost() const;

  /// Opens all that the reader gives in pieces of sealed_piece_bytes, and writes each once all of it is authentic. Throws
  /// Error: authentication, truncated, runtime.
  void write(PieceReader& reader, Progress& progress);

  /// Commits the output; then it can no longer be continued.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
