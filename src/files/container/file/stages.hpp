// These stages seal and open the chunks of a container, piece by piece.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <thread>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// PieceReader cuts plaintext and sealed chunks into pieces of these sizes, which are whole chunks.
inline constexpr std::size_t plain_piece_bytes = default_piece_bytes;
inline constexpr std::size_t chunks_of_piece = plain_piece_bytes / plain_chunk_bytes;
inline constexpr std::size_t sealed_piece_bytes = chunks_of_piece * sealed_chunk_bytes;
static_assert(plain_piece_bytes % plain_chunk_bytes == 0 && sealed_piece_bytes % 16 == 0);

/// Sets a GPU's key while room is made for a file, and while other steps come before the first piece.
class KeyPreload {
 public:
  /// The cipher must outlive this.
  KeyPreload(const ChunkedCipher& cipher, const PieceThreads& threads);
  KeyPreload(const KeyPreload&) = delete;
  KeyPreload& operator=(const KeyPreload&) = delete;
  ~KeyPreload();

 private:
  std::thread thread_;
};

/// Seals plaintext, which comes in pieces of plain_piece_bytes and a last one. The last piece becomes the message's last
/// chunks, the short one included.
class SealStage : public PipelineStage {
 public:
  /// The cipher stays the caller's.
  explicit SealStage(const ChunkedCipher& cipher) : cipher_(cipher) {}

  [[nodiscard]] std::size_t spare_bytes(std::size_t buffer_bytes) const override {
    return buffer_bytes + static_cast<std::size_t>(num_chunks_of_plain(buffer_bytes)) * chunk_tag_bytes;
  }
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return cipher_.lock_pages(memory);
  }
  void process(Piece& piece) override;

  [[nodiscard]] const ChunkedCipher& cipher() const { return cipher_; }

 private:
  const ChunkedCipher& cipher_;
};

/// Opens sealed chunks, which come in pieces of sealed_piece_bytes and a last one.
class OpenStage : public PipelineStage {
 public:
  /// `first_chunk` is the number of the first chunk that comes, which is not 0 for a slice. With `to_the_end` the last piece
  /// must end with a short chunk, else process throws Error (truncated). Throws Error (authentication) as
  /// ChunkedCipher::open does.
  OpenStage(const ChunkedCipher& cipher, std::uint64_t first_chunk, bool to_the_end)
      : cipher_(cipher), first_chunk_(first_chunk), to_the_end_(to_the_end) {}

  [[nodiscard]] std::size_t spare_bytes(std::size_t buffer_bytes) const override { return buffer_bytes; }
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return cipher_.lock_pages(memory);
  }
  void process(Piece& piece) override;

  [[nodiscard]] const ChunkedCipher& cipher() const { return cipher_; }
  [[nodiscard]] std::uint64_t first_chunk() const { return first_chunk_; }
  [[nodiscard]] bool to_the_end() const { return to_the_end_; }

 private:
  const ChunkedCipher& cipher_;
  std::uint64_t first_chunk_;
  bool to_the_end_;
};

}  // namespace phalanx
