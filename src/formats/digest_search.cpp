#include "formats/digest_search.hpp"

#include <algorithm>
#include <iterator>

#include "engines/secret_bytes.hpp"

namespace phalanx {
namespace {

void require_searchable(const DigestSearch& search) {
  if (!takes_padding(search.cipher.mode) || !can_check(search.padding)) {
    throw Error(ErrorCode::usage,
                "finding the digest needs padding that can be checked: ECB or CBC with padding pkcs7, x923 or iso7816; name "
                "the digest instead (sha256, md5, sha1 or sha512)");
  }
  const std::size_t block_bytes = search.cipher.cipher->block_bytes;
  const std::size_t given_bytes = search.last_blocks.size();
  if (given_bytes != block_bytes && given_bytes != 2 * block_bytes) {
    throw Error(ErrorCode::truncated, "the ciphertext is not whole blocks of " + std::to_string(block_bytes) +
                                          " bytes, or has none; the input is cut short");
  }
}

// The last block under the key that one digest gives, judged by its padding.
PaddingCheck try_digest(const DigestSearch& search, const char* digest) {
  const std::size_t block_bytes = search.cipher.cipher->block_bytes;
  const bool chained = search.cipher.mode == Mode::cbc;
  OpensslDerivation derivation = search.derivation;
  derivation.digest = digest;
  SecretBytes key(key_bytes(search.cipher));
  SecretBytes iv(chained ? block_bytes : 0);
  derive_key_and_iv(derivation, search.passphrase, search.salt, key, iv);

  Bytes previous = iv;
  if (chained && !search.iv.empty()) previous = search.iv;
  if (chained && search.last_blocks.size() > block_bytes) previous = search.last_blocks.first(block_bytes);
  SecretBytes plaintext(block_bytes);
  const Cipher cipher(full_name(search.cipher), key, search.options);
  cipher.decrypt(previous, search.last_blocks.last(block_bytes), plaintext);
  return check_padding(search.padding, plaintext);
}

}  // namespace

DigestChoice find_digest(const DigestSearch& search, std::span<const char* const> digests) {
  require_searchable(search);
  DigestChoice choice;
  for (const char* const digest : digests) {
    const PaddingCheck check = try_digest(search, digest);
    if (!check.valid) continue;
    const std::size_t padding_bytes = search.cipher.cipher->block_bytes - check.message_bytes;
    if (padding_bytes > choice.padding_bytes) {
      if (!choice.digest.empty()) choice.shorter.push_back(choice.digest);
      std::ranges::move(choice.also_fitting, std::back_inserter(choice.shorter));
      choice.also_fitting.clear();
      choice.digest = digest;
      choice.padding_bytes = padding_bytes;
    } else if (padding_bytes == choice.padding_bytes) {
      choice.also_fitting.emplace_back(digest);
    } else {
      choice.shorter.emplace_back(digest);
    }
  }
  if (choice.digest.empty()) {
    throw Error(ErrorCode::wrong_key,
                "no digest gives padding that checks: wrong passphrase, cipher or derivation (try with or without PBKDF2)");
  }
  return choice;
}

}  // namespace phalanx
