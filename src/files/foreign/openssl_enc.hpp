// This knows the files of `openssl enc`: "Salted__", eight bytes of salt, and the ciphertext. A file has no header if
// -nosalt or -K was given. OpenSSL describes the format and the key derivation in openssl-enc(1) and EVP_BytesToKey(3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <phalanx/files/key_derivation.hpp>

namespace phalanx {

inline constexpr std::size_t openssl_magic_bytes = 8;
inline constexpr std::size_t openssl_salt_bytes = 8;
inline constexpr std::size_t openssl_header_bytes = openssl_magic_bytes + openssl_salt_bytes;
inline constexpr std::size_t most_openssl_salt_bytes = 16;  ///< of -saltlen of OpenSSL 3.2

using OpensslSalt = std::array<std::uint8_t, openssl_salt_bytes>;
using OpensslHeader = std::array<std::uint8_t, openssl_header_bytes>;

enum class OpensslEncoding : unsigned char { none, binary, base64 };

/// Says whether a file that begins so is one of `openssl enc` with a salt, as it is or in base64.
[[nodiscard]] OpensslEncoding openssl_encoding_of(Bytes beginning);

/// Returns the salt in the beginning of a file, of which that many bytes follow "Salted__". It is part of `beginning`, which
/// is the whole header, or all of a shorter file. Throws Error (format) if that does not begin with "Salted__", and Error
/// (truncated) if it is empty or ends within the header.
[[nodiscard]] Bytes salt_in(Bytes beginning, std::size_t salt_bytes);

/// Returns a salt of eight bytes, as all versions before 3.2 write it. Throws as salt_in does.
[[nodiscard]] OpensslSalt parse_openssl_header(Bytes beginning);

/// Makes a header: "Salted__" and the salt.
[[nodiscard]] OpensslHeader make_openssl_header(const OpensslSalt& salt);

/// Draws a new salt from libcrypto's random generator. Throws Error (runtime) if that fails.
[[nodiscard]] OpensslSalt random_openssl_salt();

}  // namespace phalanx
