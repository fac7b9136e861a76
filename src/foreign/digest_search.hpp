// Which digest a file of `openssl enc` was written with, found by the padding of its last block.
#pragma once

#include <cstddef>
#include <phalanx/padding.hpp>
#include <phalanx/phalanx.hpp>
#include <span>
#include <string>
#include <vector>

#include "foreign/openssl_enc.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// The digests that are tried, the likeliest first: today's default, that of OpenSSL before 1.1.0, and two that people
/// chose.
inline constexpr const char* digest_search_order[] = {"sha256", "md5", "sha1", "sha512"};

/// A file to try. The spans stay the caller's.
struct DigestSearch {
  NamedCipher cipher{};  ///< in ECB or CBC
  Padding padding = Padding::pkcs7;
  OpensslDerivation derivation;  ///< its digest is not looked at
  Bytes passphrase;
  Bytes salt;         ///< the file's, or empty if it has none
  Bytes iv;           ///< given by the user instead of derived; empty: derived
  Bytes last_blocks;  ///< the last two blocks of ciphertext, or the only one
  Options options;    ///< the engine that decrypts them
};

struct DigestChoice {
  std::string digest;
  std::size_t padding_bytes = 0;          ///< length of the padding that it gives
  std::vector<std::string> also_fitting;  ///< others that give padding of the same length: a doubt to warn of
  std::vector<std::string> shorter;       ///< others that give shorter valid padding, most likely by chance
};

/// Tries each digest's key on the last block, and takes one as rank_by_padding (padding_evidence.hpp) does. Throws Error
/// (wrong_key) if none fits, Error (usage) if the mode or the padding leaves nothing to check, and Error (truncated) if
/// last_blocks is not one or two blocks.
[[nodiscard]] DigestChoice find_digest(const DigestSearch& search,
                                       std::span<const char* const> digests = digest_search_order);

}  // namespace phalanx
