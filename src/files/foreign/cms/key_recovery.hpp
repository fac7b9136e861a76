// This gets the content's key by what a recipient has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/cms/cms_front.hpp"
#include "files/libcrypto/private_keys.hpp"

namespace phalanx {

/// Holds what opens a message: one of a private key, keys that wrap and a passphrase.
struct CmsKeys {
  std::optional<PrivateKey> private_key{};
  std::optional<Certificate> certificate{};  ///< of the private key; nothing: every recipient that it may be is tried
  std::vector<SecretBytes> wrapping_keys{};  ///< each of which is tried; of an EncryptedData the content's own
  std::optional<SecretBytes> passphrase{};
};

/// Returns the sizes of a key that may wrap the content's key, or be it; none where the message has no such recipient.
[[nodiscard]] std::vector<std::size_t> sizes_of_keys(const CmsFront& front);

/// Returns whether the message has a recipient of this kind.
[[nodiscard]] bool has_recipient(const CmsFront& front, RecipientKind kind);

/// Returns the keys that the content may be encrypted under: one as a rule, and never none. A private key that fits several
/// recipients may give several. Where RSA of PKCS #1 v1.5 gives none, the key is a random one, so that nobody learns that
/// (RFC 3218). `name` is the message's. Throws Error:
/// - wrong_key, where no recipient can be meant; in the words of refuse_to_open, where a wrapped key does not check;
/// - format, for algorithms that are not known; policy, where trying the keys would take too long;
/// - usage, for a key of a kind or a size that this message does not take.
[[nodiscard]] std::vector<SecretBytes> recover_content_keys(const CmsFront& front, const CmsKeys& keys,
                                                            const std::string& name);

/// Throws the one Error (wrong_key) of every failure that depends on a key.
[[noreturn]] void refuse_to_open(const std::string& name);

}  // namespace phalanx
