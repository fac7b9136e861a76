// This tells the cipher of a message's content (RFC 3370, section 5; RFC 3565; RFC 3657; RFC 4010; RFC 5084).
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "files/foreign/foreign_cipher.hpp"

namespace phalanx {

struct ContentCipher {
  ForeignCipher cipher{};        ///< in CBC
  std::string name{};            ///< "aes-256-cbc", "aes-128-gcm"
  std::size_t key_bytes = 0;     ///< of the content's key
  std::vector<std::uint8_t> iv;  ///< or the nonce
  bool is_gcm = false;
  std::size_t tag_bytes = 0;  ///< of GCM
};

/// Returns the cipher that the content of an AlgorithmIdentifier names. Throws Error (format), which has the cipher's name
/// where it is known and not read.
[[nodiscard]] ContentCipher parse_content_cipher(Bytes algorithm);

/// Returns the numbers that the content of an OBJECT IDENTIFIER has, such as "1.2.840.113549.3.7".
[[nodiscard]] std::string text_of_object_id(Bytes id);

}  // namespace phalanx
