// Writing what a container opens to into a file, and going on with one that a killed run began.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "container/format/chunked_encryption.hpp"
#include "files/output/output.hpp"
#include "pipeline/scheduler.hpp"

namespace phalanx {

/// Decrypting seals nothing: what was written needs no rule but that it is there. OUT.phalanx-record has a place for each
/// piece that was written and is on the disk, with a MAC of its plaintext under a key that only the message's key gives. A
/// run that continues reads such a piece back, and leaves it where the MAC agrees; all others it opens and writes once more.
/// So nothing is assumed of the order in which pieces were written, nor of what a crash left of them.
class PlaintextFileWriter {
 public:
  /// Begins, in `output`, which is open; or, where that was opened to resume, goes on with what is there. Throws Error
  /// (format, usage) for a partial file that is another's, or of another message, and changes nothing then. All stay the
  /// caller's.
  PlaintextFileWriter(const ChunkedCipher& cipher, Output& output);
  ~PlaintextFileWriter();
  PlaintextFileWriter(const PlaintextFileWriter&) = delete;
  PlaintextFileWriter& operator=(const PlaintextFileWriter&) = delete;

  /// Bytes that an earlier run had written, as it recorded them; 0 for a file begun now.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Opens all that the reader gives in pieces of sealed_piece_bytes, and writes each once all of it is authentic.
  /// `sealed_bytes`, where it is known, is how much comes. Throws Error: authentication, truncated, runtime.
  void write(PieceReader& reader, std::optional<std::uint64_t> sealed_bytes, const RunOptions& options, Progress& progress);

  /// Commits the output; then it can no longer be continued.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
