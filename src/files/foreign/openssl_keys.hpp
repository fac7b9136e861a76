// This has what `openssl enc` puts around the cipher: the header, the salt, and the key and iv from a passphrase.
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

/// Returns the size of the key and the iv together. The derivation gives every cipher the beginning of the same bytes.
[[nodiscard]] std::size_t derived_bytes(const ForeignCipher& cipher);

/// Throws Error (format) for a file that can seek and begins with the header of `openssl enc` where none is expected. The
/// header would be taken for ciphertext. The input stands where it stood before.
void refuse_salted(const MessagePlan& plan, Input& input);

/// Makes the keys to encrypt under, from a new salt where the plan has one.
[[nodiscard]] OpensslKeys make_openssl_keys(const MessagePlan& plan, Bytes passphrase);

/// Makes the keys to decrypt under. Reads the header from `ciphertext`, which then stands after it. `derived` is the key and
/// the iv that the passphrase gives, derived_bytes or more, where that is known already; else it is empty. Throws as salt_in
/// does.
[[nodiscard]] OpensslKeys read_openssl_keys(const MessagePlan& plan, Bytes passphrase, Bytes derived,
                                            ByteSource& ciphertext);

}  // namespace phalanx
