// What `raw --openssl` puts around the cipher: the header, the salt, and the key and iv that come from a passphrase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/raw_plan.hpp"
#include "engines/secret_bytes.hpp"
#include "formats/digest_search.hpp"
#include "io/byte_stream.hpp"
#include "io/input.hpp"

namespace phalanx {

struct OpensslKeys {
  SecretBytes key;
  ChainValue iv;
  std::optional<OpensslHeader> header;  ///< to be written before the ciphertext
  std::optional<DigestChoice> found;    ///< the digest, where one was looked for
  std::string note;                     ///< the same in words
};

/// Throws Error (usage) for a file that can seek and begins with the header of `openssl enc` where none is expected: its first blocks
/// would be taken for ciphertext. The input stands where it stood before.
void refuse_salted(const RawPlan& plan, Input& input);

/// For encrypting: a new salt and what it gives.
[[nodiscard]] OpensslKeys make_openssl_keys(const RawPlan& plan, Bytes passphrase);

/// For decrypting: reads the header from `ciphertext`, which lies over `input`, and looks for the digest if asked to. Leaves
/// `ciphertext` after the header. Throws as parse_openssl_header and find_digest do.
[[nodiscard]] OpensslKeys read_openssl_keys(const RawPlan& plan, Bytes passphrase, ByteSource& ciphertext, Input& input);

}  // namespace phalanx
