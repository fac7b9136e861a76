// These algorithms encrypt a content's key for a recipient: RFC 3370, RFC 3565, RFC 5753, RFC 8017, RFC 8018, RFC 8418.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "files/foreign/cms/content_cipher.hpp"
#include "files/foreign/cms/recipients.hpp"
#include "files/libcrypto/key_transport.hpp"
#include "files/libcrypto/key_wrapping.hpp"

namespace phalanx {

/// A function that reads parameters throws Error (format) where they are not as the standards have them.

/// Returns how a key wraps another; nothing for an algorithm that is not known.
[[nodiscard]] std::optional<KeyWrap> find_key_wrap(const Algorithm& algorithm);

/// Returns the parameters of RSAES-OAEP.
[[nodiscard]] OaepParameters parse_oaep(const Algorithm& algorithm);

/// Says how two keys agree on one that wraps the content's.
struct KeyAgreement {
  AgreedDerivation derivation = AgreedDerivation::x963;
  std::string digest{};
  bool with_cofactor = false;
  KeyWrap wrap = KeyWrap::aes_128;
  std::vector<std::uint8_t> shared_info{};  ///< which the derivation takes: RFC 5753, section 7.2
};

/// Returns how the keys agree; nothing for an algorithm that is not known.
[[nodiscard]] std::optional<KeyAgreement> find_key_agreement(const CmsRecipient& recipient);

/// Holds the parameters of PBKDF2, and the cipher in CBC whose key it gives.
struct PassphraseKey {
  std::vector<std::uint8_t> salt{};
  std::uint64_t num_iterations = 0;
  std::string digest{};
  ContentCipher cipher{};
};

/// Returns how a passphrase gives a key; nothing for an algorithm that is not known.
[[nodiscard]] std::optional<PassphraseKey> find_passphrase_key(const CmsRecipient& recipient);

/// Returns a name such as "rsaEncryption" or "aes256-wrap", or the numbers of an algorithm that is not known.
[[nodiscard]] std::string name_of_key_algorithm(const CmsRecipient& recipient);

}  // namespace phalanx
