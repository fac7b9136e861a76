// How the content's key is got of what a recipient has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/cms/cms_front.hpp"
#include "files/libcrypto/private_keys.hpp"

namespace phalanx {

/// What a caller opens a message with: one of a private key, keys that wrap and a passphrase.
struct CmsKeys {
  std::optional<PrivateKey> private_key{};
  std::optional<Certificate> certificate{};  ///< of the private key; nothing: every recipient that it may be is tried
  std::vector<SecretBytes> wrapping_keys{};  ///< each of which is tried; of an EncryptedData the content's own
  std::optional<SecretBytes> passphrase{};
};

/// Returns the sizes that a key may have that wraps the content's, or is it; none where the message has no such recipient.
[[nodiscard]] std::vector<std::size_t> sizes_of_keys(const CmsFront& front);

/// Returns whether the message has a recipient of this kind.
[[nodiscard]] bool has_recipient(const CmsFront& front, RecipientKind kind);

/// Returns the keys that the content may be encrypted under: one as a rule, and never none. Where RSA of PKCS #1 v1.5 gave
/// none it is a random one, so that nobody learns that (RFC 3218). Several come of one private key that fits several
/// recipients. `name` is the message's. Throws Error: wrong_key, where no recipient can be meant, or a wrapped key does not
/// check, in the words of refuse_to_open; format, for algorithms that are not known; policy, for a passphrase that would
/// take too long; usage, for keys that no message takes.
[[nodiscard]] std::vector<SecretBytes> recover_content_keys(const CmsFront& front, const CmsKeys& keys,
                                                            const std::string& name);

/// Throws the one Error (wrong_key) of every failure that depends on a key.
[[noreturn]] void refuse_to_open(const std::string& name);

}  // namespace phalanx
