// These are the algorithms of OpenPGP by their numbers (RFC 9580, section 9).
#pragma once

#include <cstddef>
#include <string>

#include "files/foreign/foreign_cipher.hpp"

namespace phalanx {

enum class OpenPgpAead : unsigned char { eax = 1, ocb = 2, gcm = 3 };

/// Describes a cipher, or an AEAD of it.
struct OpenPgpCipher {
  unsigned number = 0;
  std::string name{};  ///< "aes-256"
  std::size_t key_bytes = 0;
  std::size_t block_bytes = 0;
};

/// Returns the cipher of a number. Throws Error (format) for a number that stands for none.
[[nodiscard]] OpenPgpCipher openpgp_cipher(unsigned number);
/// Returns whether the number stands for a cipher.
[[nodiscard]] bool is_openpgp_cipher(unsigned number);

/// Returns what decrypts the cipher in CFB. Throws Error (format) where nothing does.
[[nodiscard]] ForeignCipher cfb_of(const OpenPgpCipher& cipher);

/// Returns the AEAD of a number. Throws Error (format) for a number that stands for none.
[[nodiscard]] OpenPgpAead openpgp_aead(unsigned number);
[[nodiscard]] std::size_t nonce_bytes_of(OpenPgpAead aead);
/// Returns "eax", "ocb" or "gcm".
[[nodiscard]] const char* name_of(OpenPgpAead aead);

/// Returns libcrypto's name of the digest of a number. Throws Error (format) for a number that stands for none.
[[nodiscard]] std::string openpgp_digest(unsigned number);

/// Returns the name of an algorithm of public keys, or its number.
[[nodiscard]] std::string openpgp_public_key(unsigned number);

}  // namespace phalanx
