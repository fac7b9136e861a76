// This writes the plaintext of IN, or a part of it, as OUT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "files/container/file/plaintext_writer.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/system/input.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

struct UnsealedInput {
  std::uint64_t written_bytes = 0;  ///< written to a file; 0 where the input cannot seek
  std::uint64_t resumed_bytes = 0;
};

/// Checks the length before anything is written, where it is known. `input` stands at the first chunk. Throws Error
/// (truncated) for a length that no message has.
void require_possible_length(const Input& input);

/// Opens all that is left of the input, writes it to `output`, which is open, and commits that. `on_begun`, which may be
/// empty, is called when the present content of the output is known. Throws as PlaintextFileWriter does.
UnsealedInput unseal_input(const ChunkedCipher& cipher, Input& input, Output& output, const RunOptions& options,
                           const std::function<void(const PlaintextFileWriter& writer)>& on_begun, Progress& progress);

/// Opens a slice of the message, and writes it alone to `output`. Throws as SeekableMessage does.
UnsealedInput unseal_slice(const SeekableMessage& message, const Slice& slice, Output& output, const RunOptions& options,
                           Progress& progress);

/// Reads a container from its first chunk to its end, through `stages`, and writes nothing. Throws as open_chunks does.
void read_all_chunks(const ChunkedCipher& cipher, Input& input, std::span<PipelineStage* const> stages,
                     const RunOptions& options, Progress& progress);

}  // namespace phalanx
