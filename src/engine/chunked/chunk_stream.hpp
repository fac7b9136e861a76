// A message of chunked encryption that comes in parts of any size: sealed or opened chunk by chunk, into the caller's memory
// or a function of the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <phalanx/streams.hpp>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/chunked/chunked_key.hpp"
#include "engine/host/process_mark.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// A stream seals or opens so many chunks at once, which are enough for many threads.
inline constexpr std::size_t chunks_of_stream_piece = 256;

/// Seals a message as it comes, without its prefix. Not for several threads at once, and of no use after a call that threw.
class ChunkSealer {
 public:
  /// So many full chunks are sealed together; what does not fill them is kept.
  explicit ChunkSealer(ChunkedCipher cipher, std::size_t chunks_together = 1);

  [[nodiscard]] const MessagePrefix& prefix() const { return cipher_.prefix(); }

  /// Returns how many bytes update will write for so many.
  [[nodiscard]] std::size_t update_bytes(std::size_t plain_bytes) const;
  /// `sealed` has update_bytes(plain.size()) bytes and is disjoint from `plain`.
  void update(Bytes plain, MutableBytes sealed);

  [[nodiscard]] std::size_t finish_bytes() const;
  /// Seals what is kept, and the short last chunk. `sealed` has finish_bytes() bytes.
  void finish(MutableBytes sealed);

  /// Returns how many bytes flush will write. Throws Error (usage) where the kept bytes are no whole chunks.
  [[nodiscard]] std::size_t flush_bytes() const;
  void flush(MutableBytes sealed);
  /// Seals chunks of a GPU's memory while nothing is kept. A short one ends the message.
  void seal_from_device(const Append& append, const void* plain, std::size_t num_bytes, void* stream);

 private:
  void keep(Bytes plain);
  // Seals the chunks at the beginning of `sealed`, and takes them from it.
  void seal(Bytes chunks, std::size_t num_chunks, MutableBytes& sealed);

  ChunkedCipher cipher_;
  std::size_t group_bytes_;  // of plaintext that is sealed together
  SecretBytes kept_;
  std::size_t num_kept_ = 0;
  std::uint64_t next_chunk_ = 0;
};

/// Opens a message as it comes, its prefix first. Gives plaintext of verified chunks alone. Not for several threads at once,
/// and of no use after a call that threw.
class ChunkOpener {
 public:
  explicit ChunkOpener(std::shared_ptr<const ChunkedKey> key) : key_(std::move(key)) {}

  /// Returns how many bytes update will write for so many: full chunks, as they end.
  [[nodiscard]] std::size_t update_bytes(std::size_t sealed_bytes) const;
  /// `plain` has update_bytes(sealed.size()) bytes and is disjoint from `sealed`. Throws Error: wrong_key, authentication;
  /// `plain` then holds zeros.
  void update(Bytes sealed, MutableBytes plain);

  /// Throws Error (truncated) where the message cannot end here.
  [[nodiscard]] std::size_t finish_bytes() const;
  /// Opens the short last chunk. `plain` has finish_bytes() bytes. Throws Error (authentication); `plain` then holds zeros.
  void finish(MutableBytes plain);

 private:
  void take_prefix(Bytes& sealed);
  void take_chunks(Bytes sealed, MutableBytes plain);
  // Bytes of `sealed` behind those that are kept, as many as fill a chunk with them, or all.
  void keep(Bytes& sealed);
  // Opens full chunks to the beginning of `plain`, and takes it from there.
  void open(Bytes chunks, MutableBytes& plain);

  std::shared_ptr<const ChunkedKey> key_;  // until the prefix is whole
  std::optional<ChunkedCipher> cipher_;    // from then on
  MessagePrefix prefix_{};
  std::size_t num_of_prefix_ = 0;
  std::vector<std::uint8_t> kept_;  // of a chunk that has begun
  std::uint64_t next_chunk_ = 0;
};

/// Knows whether a stream takes more. A stream is over at its end, with a call that throws, and in a process that was
/// forked since. A call that has begun ends it, unless go_on() is called.
class StreamLife {
 public:
  /// `over` is what to say then: what it was, and what to do.
  explicit StreamLife(const char* over) : over_(over) {}
  /// Throws Error (usage) where the stream is over, or another process's.
  void begin_call();
  void go_on() { is_over_ = false; }

 private:
  const char* over_;
  ProcessMark process_;
  bool is_over_ = false;
};

/// Seals a message as it comes and appends it, its prefix first, at most chunks_of_stream_piece at once.
class SealedStream {
 public:
  /// Appends the prefix. `over`: see StreamLife.
  SealedStream(Append append, ChunkedCipher cipher, std::size_t chunks_together, const char* over);
  void write(Bytes plain);
  void write_from_device(const void* plain, std::size_t num_bytes, void* stream);
  void finish();

 private:
  void begin_write();

  Append append_;
  ChunkSealer sealer_;
  std::vector<std::uint8_t> sealed_;
  StreamLife life_;
  bool has_ended_ = false;  ///< by a short chunk of a GPU's memory
};

}  // namespace phalanx
