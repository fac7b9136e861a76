// What tells a container's body from every other one: its size, its salt, its commitment and the tag of its last chunk. They
// stay as they are whatever becomes of the recipients. The digest of the header says who they were.
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
  std::optional<Sha256Digest> sha256{};  ///< of the whole body, where that is known
  std::optional<Sha256Digest> header{};  ///< SHA-256 of the whole header before it, where that is known

  [[nodiscard]] std::uint64_t body_bytes() const { return message_prefix_bytes + chunks_bytes(plain_bytes); }
  /// Whether all but the digests are alike.
  [[nodiscard]] bool is_same_body(const BodyFacts& other) const {
    return plain_bytes == other.plain_bytes && prefix == other.prefix && last_tag == other.last_tag;
  }
};

/// SHA-256 of a whole header.
[[nodiscard]] Sha256Digest digest_header(Bytes header);

/// What a file of so many bytes shows, without a key: nothing of it is authentic. Throws Error: format and truncated where
/// it is no container, and what `read_at` throws.
[[nodiscard]] BodyFacts shown_body_facts(const ReadAt& read_at, std::uint64_t file_bytes);

/// Of the body of an open container, which begins at `position` of a file of so many bytes: opens the last chunk, so that
/// all of it, the length too, is authentic. The digest of the header is the caller's to add, who has opened it. Throws
/// Error: authentication, truncated, and what `read_at` throws.
[[nodiscard]] BodyFacts authentic_body_facts(const ChunkedCipher& cipher, const ReadAt& read_at, std::uint64_t position,
                                             std::uint64_t file_bytes);

/// SHA-256 of a body that begins at `position` of a file of so many bytes. Throws what `read_at` throws.
[[nodiscard]] Sha256Digest digest_body(const ReadAt& read_at, std::uint64_t position, std::uint64_t file_bytes);

}  // namespace phalanx
