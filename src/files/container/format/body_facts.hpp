// These facts tell a container's body from every other one: its size, its salt, its commitment and the tag of its last
// chunk. They stay the same when recipients change. The digest of the header shows which recipients it had.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <phalanx/files/container.hpp>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/libcrypto/sha256.hpp"

namespace phalanx {

struct BodyFacts {
  std::uint64_t plain_bytes = 0;
  std::array<std::uint8_t, message_prefix_bytes> prefix{};  ///< salt and commitment
  std::array<std::uint8_t, chunk_tag_bytes> last_tag{};
  std::optional<Sha256Digest> sha256{};  ///< SHA-256 of the whole body, where that is known
  std::optional<Sha256Digest> header{};  ///< SHA-256 of the whole header before it, where that is known

  [[nodiscard]] std::uint64_t body_bytes() const { return message_prefix_bytes + chunks_bytes(plain_bytes); }
  /// Says whether all but the digests are equal.
  [[nodiscard]] bool is_same_body(const BodyFacts& other) const {
    return plain_bytes == other.plain_bytes && prefix == other.prefix && last_tag == other.last_tag;
  }
};

/// Computes SHA-256 of a whole header.
[[nodiscard]] Sha256Digest digest_header(Bytes header);

/// Returns what a file of file_bytes shows, without a key. Nothing in the result is authentic. Throws Error: format and
/// truncated where it is no container, and what `read_at` throws.
[[nodiscard]] BodyFacts shown_body_facts(const ReadAt& read_at, std::uint64_t file_bytes);

/// Returns the facts of an open container's body, which begins at `position` of a file of file_bytes. It opens the last
/// chunk, so that all facts are authentic, and the length too. The caller, who has opened the header, adds its digest.
/// Throws Error: authentication, truncated, and what `read_at` throws.
[[nodiscard]] BodyFacts authentic_body_facts(const ChunkedCipher& cipher, const ReadAt& read_at, std::uint64_t position,
                                             std::uint64_t file_bytes);

/// Computes SHA-256 of a body that begins at `position` of a file of file_bytes. Throws what `read_at` throws.
[[nodiscard]] Sha256Digest digest_body(const ReadAt& read_at, std::uint64_t position, std::uint64_t file_bytes);

}  // namespace phalanx
