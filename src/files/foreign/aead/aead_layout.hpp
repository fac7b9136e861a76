// This says where the nonce and the tag of a message of an AEAD stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Where neither nonce nor tag is given, a message is nonce || ciphertext || tag.
struct AeadLayout {
  std::vector<std::uint8_t> nonce{};          ///< the given one; empty: the message begins with its nonce
  std::size_t nonce_bytes = gcm_nonce_bytes;  ///< of one that the message begins with
  std::vector<std::uint8_t> tag{};            ///< the given one; empty: the message has its tag
  std::size_t tag_bytes = aead_tag_bytes;     ///< of one that the message has
  bool tag_first = false;                     ///< it stands before the ciphertext, behind the nonce

  [[nodiscard]] bool begins_with_nonce() const { return nonce.empty(); }
  [[nodiscard]] bool has_tag() const { return tag.empty(); }
  /// Return how many bytes stand before the ciphertext, and behind it.
  [[nodiscard]] std::size_t front_bytes() const;
  [[nodiscard]] std::size_t back_bytes() const;
};

/// Holds the parts of a message that lies in a file.
struct AeadParts {
  std::vector<std::uint8_t> nonce;
  std::vector<std::uint8_t> tag;
  std::uint64_t position = 0;  ///< of the ciphertext in the file
  std::uint64_t num_bytes = 0;
};

/// Finds the parts of the message that fills the rest of an input, which can seek. The input stands where it stood before.
/// Throws Error: truncated, where it is shorter than nonce and tag; runtime, where it cannot be read.
[[nodiscard]] AeadParts find_aead_parts(const AeadLayout& layout, const Input& input);

}  // namespace phalanx
