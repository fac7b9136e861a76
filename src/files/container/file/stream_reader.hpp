// This reads a container, or a bare message of chunked encryption, as a stream or a slice of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/format/header.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/pipeline/slice.hpp"
#include "files/system/byte_stream.hpp"
#include "files/system/input.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Reads a container's header from the beginning of a stream, and no byte beyond it. Throws as header_bytes and parse_header
/// do.
[[nodiscard]] ContainerHeader read_header(ByteSource& source);

/// Says whether a file of file_bytes that begins so is a header alone, whole or cut short by a kill, with no chunk behind
/// it.
[[nodiscard]] bool is_header_alone(Bytes beginning, std::uint64_t file_bytes);

/// Reads a message's salt and commitment, and makes its cipher. Throws Error (truncated) where they are cut short, and as
/// ChunkedCipher does.
[[nodiscard]] ChunkedCipher read_prefix(ByteSource& source, const Suite& suite, Bytes input_key, Bytes context,
                                        const EngineOptions& options);

/// Reads the salt and commitment of a container's body, behind its header. Throws Error (truncated) too, and as open_body
/// does.
[[nodiscard]] ChunkedCipher read_body_prefix(ByteSource& source, const ContainerHeader& header, Bytes data_key,
                                             Bytes context, const EngineOptions& options);

/// Reads a container, whose name is `binding`'s, up to its chunks. Throws as unlock_input, read_header, open_header and
/// read_body_prefix do.
[[nodiscard]] ChunkedCipher read_beginning(Input& input, std::span<const Identity> identities, const CostLimits& limits,
                                           const Binding& binding, const EngineOptions& options);

/// Does this for one of many containers, which may be of several suites: each takes the keys of its own length. Throws Error
/// (wrong_key) where there is none.
[[nodiscard]] ChunkedCipher read_one_of_many(Input& input, std::span<const Identity> identities, const CostLimits& limits,
                                             const Binding& binding, const EngineOptions& options);

/// Opens the chunks that the reader gives in pieces of sealed_piece_bytes to its end. Hands on the plaintext piece by piece,
/// each once all of it is authentic, through `stages` to `sink`. Returns the bytes read. Throws Error: authentication,
/// truncated.
std::uint64_t open_chunks(PieceReader& reader, const ChunkedCipher& cipher, std::span<PipelineStage* const> stages,
                          PieceSink& sink, const RunOptions& options, Progress& progress);

/// Reads any part of a message.
class SeekableMessage {
 public:
  /// `input` stands at the first chunk, and ends with the last one. Throws Error (truncated) for a length that no message
  /// has, and Error (usage) if the input cannot seek.
  SeekableMessage(const Input& input, const ChunkedCipher& cipher);

  [[nodiscard]] std::uint64_t plain_bytes() const { return plain_bytes_; }

  /// Opens the last chunk, which authenticates the length. Throws Error (authentication).
  void authenticate_length() const;

  /// Returns the size of the slice. Throws Error (usage) if it begins or ends behind the plaintext's end, and as
  /// authenticate_length does, since that error says where the end is.
  [[nodiscard]] std::uint64_t bytes_of(const Slice& slice) const;

  /// Authenticates the length, opens the chunks that the slice needs, and writes the slice to `sink`. Throws as bytes_of and
  /// open_chunks do.
  void open_slice(const Slice& slice, ByteSink& sink, const RunOptions& options, Progress& progress) const;

 private:
  const Input& input_;
  const ChunkedCipher& cipher_;
  std::uint64_t position_;
  std::uint64_t sealed_bytes_;
  std::uint64_t plain_bytes_;
};

}  // namespace phalanx
