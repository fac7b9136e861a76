// What `openssl enc` puts around the cipher: the header, the salt, and the key and iv that come from a passphrase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files/byte_stream.hpp"
#include "files/input.hpp"
#include "foreign/message_plan.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

struct OpensslKeys {
  SecretBytes key;
  ChainValue iv;
  std::optional<OpensslHeader> header;  ///< to be written before the ciphertext
  std::string digest;                   ///< that derived the key
  std::string note;                     ///< how it was found, in words; "" where it was named
};

/// Throws Error (usage) for a file that can seek and begins with the header of `openssl enc` where none is expected: its
/// first blocks would be taken for ciphertext. The input stands where it stood before.
void refuse_salted(const MessagePlan& plan, Input& input);

/// For encrypting: a new salt and what it gives.
[[nodiscard]] OpensslKeys make_openssl_keys(const MessagePlan& plan, Bytes passphrase);

/// For decrypting: reads the header from `ciphertext`, and looks for the digest if asked to. Leaves `ciphertext` after the
/// header. `file` is what that lies over where it can go back, else nullptr. Throws as parse_openssl_header and find_digest
/// do, and Error (usage) for a search without a file.
[[nodiscard]] OpensslKeys read_openssl_keys(const MessagePlan& plan, Bytes passphrase, ByteSource& ciphertext, Input* file,
                                            const std::string& name);

}  // namespace phalanx
