#include "files/foreign/padding_evidence.hpp"

#include <algorithm>

#include "engine/library/keyed_mode.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/libcrypto_decryptor.hpp"

namespace phalanx {

namespace {

// Decrypts a block in place.
void decrypt_block(const ForeignCipher& cipher, Bytes key, Bytes previous, MutableBytes block,
                   const EngineOptions& options) {
  if (cipher.is_of_libcrypto()) return decrypt_block_by_libcrypto(cipher, key, previous, block);
  const KeyedMode keyed(cipher.engine, key, options);
  static_cast<void>(keyed.crypt(Direction::decrypt, previous, block, block));
}

}  // namespace

std::size_t padding_under_key(const MessageEnd& end, Bytes key, Bytes iv, const EngineOptions& options) {
  const std::size_t block_bytes = end.cipher.block_bytes;
  const bool chained = end.cipher.mode == Mode::cbc;
  const Bytes previous = !chained ? Bytes() : end.last_blocks.size() > block_bytes ? end.last_blocks.first(block_bytes) : iv;
  SecretBytes plaintext(end.last_blocks.last(block_bytes));
  decrypt_block(end.cipher, key, previous, plaintext, options);
  const PaddingCheck check = check_padding(end.padding, plaintext);
  return check.valid ? block_bytes - check.message_bytes : 0;
}

std::optional<KeyRanking> rank_by_padding(std::span<const std::size_t> padding_bytes) {
  const auto longest = std::ranges::max_element(padding_bytes);  // the first of them
  if (longest == padding_bytes.end() || *longest == 0) return std::nullopt;
  KeyRanking ranking;
  ranking.best = static_cast<std::size_t>(longest - padding_bytes.begin());
  for (std::size_t i = 0; i < padding_bytes.size(); ++i) {
    if (i == ranking.best || padding_bytes[i] == 0) continue;
    (padding_bytes[i] == *longest ? ranking.equal : ranking.shorter).push_back(i);
  }
  return ranking;
}

}  // namespace phalanx
