#include "foreign/digest_search.hpp"

#include <optional>

#include "foreign/padding_evidence.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

void require_searchable(const DigestSearch& search) {
  if (!shows_wrong_key(search.cipher.mode, search.padding)) {
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

// What the key that one digest gives says of the last block.
std::size_t try_digest(const DigestSearch& search, const char* digest) {
  OpensslDerivation derivation = search.derivation;
  derivation.digest = digest;
  SecretBytes key(key_bytes(search.cipher));
  SecretBytes iv(search.cipher.mode == Mode::cbc ? search.cipher.cipher->block_bytes : 0);
  derive_key_and_iv(derivation, search.passphrase, search.salt, key, iv);
  const MessageEnd end{.cipher = search.cipher, .padding = search.padding, .last_blocks = search.last_blocks};
  return padding_under_key(end, key, search.iv.empty() ? Bytes(iv) : search.iv, search.options);
}

}  // namespace

DigestChoice find_digest(const DigestSearch& search, std::span<const char* const> digests) {
  require_searchable(search);
  std::vector<std::size_t> padding_bytes;
  for (const char* const digest : digests) padding_bytes.push_back(try_digest(search, digest));
  const std::optional<KeyRanking> ranking = rank_by_padding(padding_bytes);
  if (!ranking) {
    throw Error(ErrorCode::wrong_key,
                "no digest gives padding that checks: wrong passphrase, cipher or derivation (try with or without PBKDF2)");
  }
  DigestChoice choice;
  choice.digest = digests[ranking->best];
  choice.padding_bytes = padding_bytes[ranking->best];
  for (const std::size_t i : ranking->equal) choice.also_fitting.emplace_back(digests[i]);
  for (const std::size_t i : ranking->shorter) choice.shorter.emplace_back(digests[i]);
  return choice;
}

}  // namespace phalanx
