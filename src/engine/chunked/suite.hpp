// The suites of the container: which AEAD seals its chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

struct Suite {
  std::uint8_t id;           ///< in the container's header
  const char* name;          ///< what users write: "aes-256"
  const char* cipher;        ///< of the library: "aes-256-gcm"
  const char* aead_name;     ///< in the construction's key derivation: "AEAD_AES_256_GCM"
  std::size_t key_bytes;     ///< of the AEAD, of an input key and of a key file
  const char* chunked_name;  ///< of chunked encryption without a container: "cobblestone-256"
};

/// In the order of their ids; the first is the default.
[[nodiscard]] std::span<const Suite> all_suites();

/// By name, case ignored. Throws Error (usage), listing the names, for any other.
[[nodiscard]] const Suite& find_suite(std::string_view name);

/// By the name of chunked encryption without a container, as find_suite.
[[nodiscard]] const Suite& find_chunked_suite(std::string_view name);

/// Its AEAD, as an engine takes it.
[[nodiscard]] NamedCipher aead_of(const Suite& suite);

/// Finds a suite by the header's id. Throws Error (format) for an unknown one.
[[nodiscard]] const Suite& suite_of_id(std::uint8_t id);

}  // namespace phalanx
