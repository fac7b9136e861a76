// What `openssl enc` puts around the cipher: the header, the salt, and the key and iv that come from a passphrase.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/system/byte_stream.hpp"
#include "files/system/input.hpp"

namespace phalanx {

struct OpensslKeys {
  SecretBytes key;
  ChainValue iv;
  std::optional<OpensslHeader> header;  ///< to be written before the ciphertext
};

/// The key and the iv. What derives them gives the beginning of the same bytes for any cipher.
[[nodiscard]] std::size_t derived_bytes(const ForeignCipher& cipher);

/// Throws Error (format) for a file that can seek and begins with the header of `openssl enc` where none is expected: its
/// first blocks would be taken for ciphertext. The input stands where it stood before.
void refuse_salted(const MessagePlan& plan, Input& input);

/// For encrypting: a new salt and what it gives.
[[nodiscard]] OpensslKeys make_openssl_keys(const MessagePlan& plan, Bytes passphrase);

/// For decrypting: reads the header from `ciphertext`, which then stands after it. `derived`: the key and the iv that the
/// passphrase gives, where that is known already, derived_bytes of it or more; else empty. Throws as parse_openssl_header
/// does.
[[nodiscard]] OpensslKeys read_openssl_keys(const MessagePlan& plan, Bytes passphrase, Bytes derived,
                                            ByteSource& ciphertext);

}  // namespace phalanx
