// This reads the recipients of a message (RFC 5652, section 6.2).
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

namespace phalanx {

/// Holds an AlgorithmIdentifier (RFC 5280, section 4.1.1.2).
struct Algorithm {
  std::vector<std::uint8_t> id{};          ///< the content of its OBJECT IDENTIFIER; empty: there is no algorithm
  std::vector<std::uint8_t> parameters{};  ///< an element; empty: there are none
  std::vector<std::uint8_t> whole{};       ///< all of it, an element
};

/// Returns the algorithm of an element. Throws Error (format) where it has none.
[[nodiscard]] Algorithm parse_algorithm(Bytes element);

enum class RecipientKind : unsigned char { key_transport, key_agreement, wrapping_key, passphrase, other };

struct CmsRecipient {
  RecipientKind kind = RecipientKind::other;
  std::vector<std::uint8_t> issuer{};  ///< of a certificate, in DER; empty where it is named by its key's identifier
  std::vector<std::uint8_t> serial{};  ///< the content of its INTEGER
  std::vector<std::uint8_t> key_id{};  ///< of a certificate's key, or of the key that wraps
  Algorithm algorithm{};               ///< of the encryption of the key
  std::vector<std::uint8_t> encrypted_key{};
  std::vector<std::uint8_t> sender_key{};  ///< of a key agreement: the public key that is used once; empty: there is none
  std::vector<std::uint8_t> keying_material{};  ///< of a key agreement: what the sender adds; empty: nothing
  Algorithm derivation{};                       ///< of a passphrase
};

/// Appends the recipients of a RecipientInfo, an element: of a key agreement any number, else one. Throws Error (format).
void append_recipients(Bytes element, std::vector<CmsRecipient>& recipients);

/// Returns words such as "an RSA key", "a key of a curve", "a key", "a passphrase".
[[nodiscard]] const char* words_of(RecipientKind kind);

}  // namespace phalanx
