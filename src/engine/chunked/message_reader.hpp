// A message of chunked encryption that is read at any place: in memory, or by a function that reads.
#pragma once

#include <cstdint>
#include <phalanx/streams.hpp>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"

namespace phalanx {

/// Bytes in memory, or those that a function reads. Any number of threads may use it, if they may call the function at once.
class PlacedBytes {
 public:
  explicit PlacedBytes(Bytes memory) : memory_(memory), size_(memory.size()) {}
  PlacedBytes(ReadAt read_at, std::uint64_t size) : read_at_(std::move(read_at)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Where they are in memory; nullptr: a function reads them.
  [[nodiscard]] const std::uint8_t* memory() const { return read_at_ ? nullptr : memory_.data(); }
  /// All within size(); in `buffer` unless they are in memory.
  [[nodiscard]] Bytes fetch(std::uint64_t offset, std::size_t size, std::vector<std::uint8_t>& buffer) const;
  /// Copies bytes into the caller's memory. All must lie within size().
  void copy_to(std::uint64_t offset, MutableBytes out) const;
  /// From the beginning, fewer where there are not so many.
  [[nodiscard]] Bytes fetch_first(std::size_t size, std::vector<std::uint8_t>& buffer) const;

 private:
  Bytes memory_;
  ReadAt read_at_;
  std::uint64_t size_;
};

/// The chunks of a message, which end where the bytes do. Immutable; any number of threads may use it, as PlacedBytes.
class MessageReader {
 public:
  /// `chunks_offset` is where chunk 0 begins in `sealed`. Authenticates the length by opening the last chunk. Throws Error:
  /// truncated for a length that no message has, authentication.
  MessageReader(PlacedBytes sealed, std::uint64_t chunks_offset, ChunkedCipher cipher);

  [[nodiscard]] std::uint64_t plain_bytes() const { return plain_bytes_; }

  /// Reads the plaintext from `offset` on. Throws Error: usage if it is not all within plain_bytes(), and
  /// authentication. Throws the exceptions of the function that reads, too. `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;
  /// Reads the plaintext into a GPU's memory, behind the work on `stream`, and waits.
  void read_to_device(std::uint64_t offset, void* out, std::size_t num_bytes, void* stream) const;

 private:
  void check_range(std::uint64_t offset, std::size_t num_bytes) const;
  void read_chunks(std::uint64_t offset, MutableBytes out) const;
  // Opens whole chunks from first_chunk on.
  void open(std::uint64_t first_chunk, std::size_t num_chunks, MutableBytes plain, std::vector<std::uint8_t>& buffer) const;

  PlacedBytes sealed_;
  std::uint64_t chunks_offset_;
  ChunkedCipher cipher_;
  std::uint64_t plain_bytes_;
};

}  // namespace phalanx
