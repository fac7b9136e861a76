#include "files/foreign/cms/password_wrap.hpp"

#include <algorithm>

#include "files/foreign/libcrypto_decryptor.hpp"
#include "files/foreign/raw_cipher.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_wrapped_bytes = 4096;
constexpr std::size_t length_bytes = 1, check_bytes = 3;

void decrypt_cbc(const ForeignCipher& cipher, Bytes key, Bytes iv, MutableBytes text) {
  if (cipher.is_of_libcrypto()) return decrypt_block_by_libcrypto(cipher, key, iv, text);
  RunOptions options;
  options.engine = "cpu";
  options.num_threads = 1;
  RawCipher(cipher.engine, key, false, options).crypt_part(Direction::decrypt, iv, 0, text);
}

// RFC 3211, section 2.3.2, decrypts the last block with the block before it as the iv. The result is the iv of all blocks
// before. The whole is then decrypted once more.
SecretBytes decrypt_twice(const ContentCipher& cipher, Bytes key, Bytes wrapped) {
  const std::size_t block = cipher.cipher.block_bytes;
  SecretBytes text(wrapped);
  const MutableBytes last = MutableBytes(text).last(block), before = MutableBytes(text).first(text.size() - block);
  decrypt_cbc(cipher.cipher, key, wrapped.subspan(wrapped.size() - 2 * block, block), last);
  const SecretBytes outer_iv{Bytes(last)};
  decrypt_cbc(cipher.cipher, key, outer_iv, before);
  decrypt_cbc(cipher.cipher, key, cipher.iv, text);
  return text;
}

}  // namespace

std::optional<SecretBytes> unwrap_under_passphrase(const ContentCipher& cipher, Bytes key, Bytes wrapped) {
  const std::size_t block = cipher.cipher.block_bytes;
  if (wrapped.size() < 2 * block || wrapped.size() % block != 0 || wrapped.size() > most_wrapped_bytes) return std::nullopt;
  const SecretBytes text = decrypt_twice(cipher, key, wrapped);
  const Bytes content = Bytes(text).subspan(length_bytes + check_bytes);
  const std::size_t num_bytes = text.data()[0];
  unsigned difference = num_bytes < check_bytes || num_bytes > content.size() ? 1 : 0;
  for (std::size_t i = 0; i < check_bytes; ++i) difference |= 0xffU ^ text.data()[length_bytes + i] ^ content[i];
  if (difference != 0) return std::nullopt;
  return SecretBytes(content.first(num_bytes));
}

}  // namespace phalanx
