// The plaintext of IN, or a part of it, as OUT.
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
  std::uint64_t written_bytes = 0;  ///< of a file; 0 where the input cannot seek
  std::uint64_t resumed_bytes = 0;
};

/// A length that no message has shows before anything is written, where it is known. `input` stands at the first chunk.
/// Throws Error (truncated).
void require_possible_length(const Input& input);

/// Opens all that the input has left, writes it to `output`, which is open, and commits that. `on_begun`, which may be
/// empty, hears when it is known what is there already. Throws as PlaintextFileWriter does.
UnsealedInput unseal_input(const ChunkedCipher& cipher, Input& input, Output& output, const RunOptions& options,
                           const std::function<void(const PlaintextFileWriter& writer)>& on_begun, Progress& progress);

/// The same of a slice of the message, which is `output` alone. Throws as SeekableMessage does.
UnsealedInput unseal_slice(const SeekableMessage& message, const Slice& slice, Output& output, const RunOptions& options,
                           Progress& progress);

/// A container that is read to its end, and of which nothing is written: from where its chunks begin, through `stages`.
/// Throws as open_chunks does.
void read_all_chunks(const ChunkedCipher& cipher, Input& input, std::span<PipelineStage* const> stages,
                     const RunOptions& options, Progress& progress);

}  // namespace phalanx
