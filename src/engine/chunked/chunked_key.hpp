// The key and the context of ChunkedAead, which what it starts keeps for as long as it needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/chunked.hpp>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/chunked/suite.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Immutable; any number of threads may use it.
struct ChunkedKey {
  const Suite& suite;
  std::string name;  ///< canonical
  SecretBytes key;
  std::vector<std::uint8_t> context;
  EngineOptions options;
  std::string engine;  ///< what runs it

  /// Throws Error (usage) as ChunkedAead does.
  ChunkedKey(std::string_view name, Bytes own_key, Bytes own_context, const EngineOptions& own_options);

  /// Throws Error (usage) where the ChunkedAead was moved from.
  static const std::shared_ptr<const ChunkedKey>& of(const ChunkedAead& aead);

  /// A message to write, under a new random salt.
  [[nodiscard]] ChunkedCipher new_message() const;
  /// A message to read, by its first message_prefix_bytes. Throws Error (wrong_key).
  [[nodiscard]] ChunkedCipher message_of(Bytes prefix) const;
};

/// Returns the plaintext's size for the size of a whole message. Throws Error (truncated) for a size that no message
/// has.
[[nodiscard]] std::uint64_t plain_bytes_of_message(std::uint64_t sealed_bytes);

}  // namespace phalanx
