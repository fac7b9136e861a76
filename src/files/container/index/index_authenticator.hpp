// A segment of an index is authenticated by a MAC under a secret, or by a signature (docs/index_format.md, section 2).
#pragma once

#include <array>
#include <cstdint>
#include <phalanx/files/tree_index.hpp>

#include "engine/secrets/secret_bytes.hpp"
#include "files/libcrypto/sha256.hpp"

namespace phalanx {

inline constexpr std::size_t authenticator_bytes = 64;
using Authenticator = std::array<std::uint8_t, authenticator_bytes>;
using IndexKeyId = std::array<std::uint8_t, 16>;

/// Immutable; any number of threads may use it.
class IndexAuthenticator {
 public:
  /// Copies what it needs of the key. Throws Error (usage) for a key of another length.
  explicit IndexAuthenticator(const IndexKey& key);

  [[nodiscard]] bool can_write() const { return kind_ != IndexKeyKind::public_key; }
  [[nodiscard]] bool signs() const { return kind_ != IndexKeyKind::secret; }
  [[nodiscard]] std::uint8_t number() const { return signs() ? 2 : 1; }  ///< as the head has it
  [[nodiscard]] const IndexKeyId& id() const { return id_; }

  /// Authenticates a segment's digest. Throws Error (usage) for a public key.
  [[nodiscard]] Authenticator authenticate(const Sha256Digest& digest) const;
  [[nodiscard]] bool is_authentic(const Sha256Digest& digest, const Authenticator& authenticator) const;

 private:
  IndexKeyKind kind_;
  SecretBytes key_;  // the secret of the MAC, or the signing key
  std::array<std::uint8_t, index_key_bytes> public_key_{};
  IndexKeyId id_{};
};

}  // namespace phalanx
