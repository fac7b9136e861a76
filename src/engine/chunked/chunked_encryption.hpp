// This is C2SP chunked encryption (c2sp.org/chunked-encryption, v1): salt || commitment || chunk 0 || chunk 1 || ...
// Each chunk is sealed on its own, so that any of them can be opened alone and all of them at once. Every chunk but the
// last holds 16,384 bytes of plaintext; the last holds fewer, perhaps none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/options.hpp>
#include <string_view>

#include "engine/chunked/suite.hpp"
#include "engine/engines/keyed_aead.hpp"
#include "engine/engines/keyed_device_aead.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t plain_chunk_bytes = 16384;
inline constexpr std::size_t chunk_tag_bytes = 16;
inline constexpr std::size_t sealed_chunk_bytes = plain_chunk_bytes + chunk_tag_bytes;
inline constexpr std::size_t chunk_salt_bytes = 24;
inline constexpr std::size_t commitment_bytes = 32;
inline constexpr std::size_t message_prefix_bytes = chunk_salt_bytes + commitment_bytes;  ///< before chunk 0
inline constexpr std::uint64_t max_chunks = std::uint64_t{1} << 38;

/// Returns how many chunks a plaintext makes, the last short one included: 1 at least.
constexpr std::uint64_t num_chunks_of_plain(std::uint64_t plain_bytes) { return plain_bytes / plain_chunk_bytes + 1; }

/// Returns the size of all chunks of a plaintext, without the prefix. Throws Error (usage) beyond max_chunks.
[[nodiscard]] std::uint64_t chunks_bytes(std::uint64_t plain_bytes);

/// Returns the plaintext's size for the size of all its chunks (without the prefix). Throws Error (truncated) for a
/// size that no plaintext gives. Such are nothing, whole full chunks (the short last one is missing), and fewer than 16
/// bytes beyond them. Throws Error (format) beyond max_chunks.
[[nodiscard]] std::uint64_t plain_bytes_of_chunks(std::uint64_t sealed_bytes);

using ChunkSalt = std::array<std::uint8_t, chunk_salt_bytes>;
using MessagePrefix = std::array<std::uint8_t, message_prefix_bytes>;

/// Throws Error (authentication), which names the chunk by its number within the message.
[[noreturn]] void fail_not_authentic(std::uint64_t chunk);

/// A new salt from fill_random.
[[nodiscard]] ChunkSalt random_chunk_salt();

/// One message of the construction: what its input key, salt and context give. Immutable; any number of threads may use it.
class ChunkedCipher {
 public:
  /// For writing: `input_key` is suite.key_bytes long and uniformly random; a salt is never used twice under one key. In a
  /// process that is forked afterwards the calls that seal throw Error (usage). The calls of this object use the engine and
  /// threads of `options`. Throws Error (usage) for a key of another length or an
  /// engine that cannot run.
  ChunkedCipher(const Suite& suite, Bytes input_key, const ChunkSalt& salt, Bytes context,
                const EngineOptions& options = {});

  /// For reading: `prefix` is the message's first message_prefix_bytes. Throws Error (wrong_key) if its commitment is not
  /// that of this key and context.
  ChunkedCipher(const Suite& suite, Bytes input_key, const MessagePrefix& prefix, Bytes context,
                const EngineOptions& options = {});

  /// Makes a cipher of keys that were derived before: the message_keys() of a cipher that was made as above, and the
  /// salt in its prefix().
  static ChunkedCipher of_message_keys(const Suite& suite, Bytes message_keys, Bytes salt, const EngineOptions& options);
  [[nodiscard]] Bytes message_keys() const;  ///< from which nonces and derive_key's keys come
  [[nodiscard]] const Suite& suite() const;

  ~ChunkedCipher();
  ChunkedCipher(ChunkedCipher&&) noexcept;
  ChunkedCipher& operator=(ChunkedCipher&&) noexcept;

  [[nodiscard]] const MessagePrefix& prefix() const;  ///< salt || commitment
  [[nodiscard]] const std::string& engine() const;    ///< what runs it: "cpu:avx512"

  /// A key for another purpose, which `label` names: HKDF-Expand of the message's keys.
  void derive_key(std::string_view label, MutableBytes key) const;

  /// Seals consecutive chunks on all threads: `plain` is the plaintext from the beginning of chunk first_chunk on, and
  /// `sealed` takes the chunks one after another, 16 bytes more for each. Only the last may be short. Where `plain` is whole
  /// chunks, the size of `sealed` says whether an empty last chunk follows them (the end of the message) or not (there is
  /// more to come). Disjoint memory. Throws Error (usage) if the sizes do not fit each other or chunks would be beyond
  /// max_chunks.
  void seal(std::uint64_t first_chunk, Bytes plain, MutableBytes sealed) const;

  /// Opens consecutive chunks on all threads; sizes as for seal. Disjoint memory. Throws Error (authentication) that names
  /// the first chunk whose tag does not verify, by its number within the message; every chunk of `plain` that did not verify
  /// then holds zeros. Throws Error (usage) if the sizes do not fit, and Error (truncated) if a last chunk is shorter than
  /// its tag.
  void open(std::uint64_t first_chunk, Bytes sealed, MutableBytes plain) const;

  /// Sets the key in its engine, if that was not done yet. A GPU takes a tenth of a second for it, in which another
  /// thread can go on. A failure shows where the key is needed.
  void set_key_early() const noexcept;

  /// KeyedAead::lock_pages, for memory that seal and open are going to be given again and again.
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const;

  /// The whole message in a GPU's memory, `plain_bytes` of plaintext, enqueued without waiting; this lives until that is
  /// done. Sealed, it has its prefix; to open, `in` begins behind it. As KeyedDeviceAead::crypt_chunks.
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_on_device(Direction direction, const void* in, void* out,
                                                                   std::uint64_t plain_bytes, void* stream) const;

  /// Opens consecutive chunks into a GPU's memory and waits; `chunks` are those from first_chunk on, and this puts their
  /// nonces. Throws Error as open does, what `chunks` throws, and Error (usage) where there is no such GPU; `out` then
  /// holds zeros.
  void open_to_device(std::uint64_t first_chunk, SealedChunks chunks, void* out, void* stream) const;
  /// Seals consecutive chunks of a GPU's memory and waits. `chunks` and Errors are as for open_to_device.
  void seal_from_device(std::uint64_t first_chunk, ChunksToSeal chunks, const void* in, void* stream) const;

 private:
  struct State;
  explicit ChunkedCipher(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
