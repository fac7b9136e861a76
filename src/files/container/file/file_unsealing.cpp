#include "files/container/file/file_unsealing.hpp"

#include <memory>
#include <optional>

#include "files/container/file/stages.hpp"
#include "files/pipeline/piece_sinks.hpp"

namespace phalanx {

void require_possible_length(const Input& input) {
  const std::uint64_t sealed_bytes = input.remaining_bytes().value_or(0);  // a file of /proc says that it is empty
  if (sealed_bytes != 0) static_cast<void>(plain_bytes_of_chunks(sealed_bytes));
}

UnsealedInput unseal_input(const ChunkedCipher& cipher, Input& input, Output& output, const RunOptions& options,
                           const std::function<void(const PlaintextFileWriter& writer)>& on_begun, Progress& progress) {
  const std::optional<std::uint64_t> sealed_bytes = input.remaining_bytes();
  PlaintextFileWriter writer(cipher, output, sealed_bytes, options);
  if (on_begun) on_begun(writer);
  const std::unique_ptr<PieceReader> reader = pieces_of(input, sealed_piece_bytes, 0);
  writer.write(*reader, progress);
  writer.commit();
  const std::uint64_t known_bytes = sealed_bytes.value_or(0);
  return {.written_bytes = known_bytes == 0 ? 0 : plain_bytes_of_chunks(known_bytes),
          .resumed_bytes = writer.resumed_bytes()};
}

UnsealedInput unseal_slice(const SeekableMessage& message, const Slice& slice, Output& output, const RunOptions& options,
                           Progress& progress) {
  message.open_slice(slice, output, options, progress);
  output.commit();
  return {.written_bytes = message.bytes_of(slice)};
}

void read_all_chunks(const ChunkedCipher& cipher, Input& input, std::span<PipelineStage* const> stages,
                     const RunOptions& options, Progress& progress) {
  NullPieces nowhere;
  const std::unique_ptr<PieceReader> reader = pieces_of(input, sealed_piece_bytes, 0);
  open_chunks(*reader, cipher, stages, nowhere, options, progress);
}

}  // namespace phalanx
