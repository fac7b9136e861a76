// These are the packets that hold a message's session key, and how a passphrase or the caller gives it (RFC 9580, sections
// 5.1 and 5.3).
#pragma once

#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/openpgp/algorithms.hpp"
#include "files/foreign/openpgp/string_to_key.hpp"

namespace phalanx {

/// Holds a session key, and the number of the cipher that it is for. 0: the encrypted data say which.
struct SessionKey {
  unsigned cipher = 0;
  SecretBytes key{};
};

/// Holds the session key under a passphrase, in packets of versions 4 to 6.
struct PassphraseRecipient {
  unsigned version = 4;
  OpenPgpCipher cipher{};             ///< that encrypts the session key
  std::optional<OpenPgpAead> aead{};  ///< of versions 5 and 6
  StringToKey string_to_key{};
  std::vector<std::uint8_t> nonce{};          ///< of the AEAD
  std::vector<std::uint8_t> encrypted_key{};  ///< with its tag; empty: the derived key is the session key
};

/// Says for which public key a session key is encrypted.
struct PublicKeyRecipient {
  std::string key_id{};     ///< in hex, as gpg writes it; the fingerprint in version 6; "" where it is hidden
  std::string algorithm{};  ///< "RSA"
};

/// Parse the body of a packet. They throw Error (format).
[[nodiscard]] PassphraseRecipient parse_passphrase_recipient(Bytes body);
[[nodiscard]] PublicKeyRecipient parse_public_key_recipient(Bytes body);

/// Decrypts a few bytes of CFB whose iv is zero.
[[nodiscard]] SecretBytes decrypt_by_cfb(const OpenPgpCipher& cipher, Bytes key, Bytes ciphertext);

/// Returns the session key that the passphrase gives; nothing where it is surely not the recipient's. Throws as derive_key
/// and make_chunk_aead do.
[[nodiscard]] std::optional<SessionKey> open_recipient(const PassphraseRecipient& recipient, Bytes passphrase);

/// Reads a session key in the form of `gpg --show-session-key`, "9:" and hex digits, with or without what gpg writes around
/// it. Throws Error (usage), which repeats nothing of the text.
[[nodiscard]] SessionKey parse_session_key(Bytes text);

}  // namespace phalanx
