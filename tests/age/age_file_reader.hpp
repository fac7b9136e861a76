// A reader of age's files for the tests: headers over our stanzas and keys, payloads over libcrypto. Written from
// c2sp.org/age.
#pragma once

#include <phalanx/phalanx.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx::test {

/// What the published vectors call how a file ends: "success", "header failure", "no match", "HMAC failure" or
/// "payload failure".
struct ReadAgeFile {
  std::string outcome;
  std::vector<std::uint8_t> plain;  ///< as far as it is authentic
  std::vector<std::uint8_t> file_key;
};

/// Opens a file by X25519 identities, of 32 bytes each.
[[nodiscard]] ReadAgeFile read_text_file(std::string_view file, const std::vector<SecretBytes>& identities);

}  // namespace phalanx::test
