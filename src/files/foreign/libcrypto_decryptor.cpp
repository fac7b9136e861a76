#include "files/foreign/libcrypto_decryptor.hpp"

#include "files/foreign/engine_decryptor.hpp"

namespace phalanx {
namespace {

Provider provider_of(const ForeignCipher& cipher) {
  return cipher.way == ForeignWay::legacy ? Provider::legacy : Provider::standard;
}

}  // namespace

LibcryptoDecryptor::LibcryptoDecryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job)
    : decryption_(cipher.name, provider_of(cipher), key, job.iv),
      mode_(job.mode),
      padding_(job.padding),
      block_bytes_(cipher.block_bytes) {}

void LibcryptoDecryptor::check_length(std::uint64_t message_bytes) const {
  if (takes_padding(mode_)) check_whole_blocks(message_bytes, block_bytes_, padding_);
}

void LibcryptoDecryptor::process(Piece& piece) {
  if (piece.last) check_length(piece.offset + piece.size);
  decryption_.decrypt(piece.buffer.first(piece.size));
  if (piece.last && takes_padding(mode_)) checked_padding_bytes_ = take_padding_off(piece, padding_, block_bytes_);
}

void decrypt_block_by_libcrypto(const ForeignCipher& cipher, Bytes key, Bytes previous, MutableBytes block) {
  LibcryptoDecryption(cipher.name, provider_of(cipher), key, previous).decrypt(block);
}

std::unique_ptr<MessageDecryptor> make_decryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job,
                                                 const RunOptions& options) {
  if (cipher.is_of_libcrypto()) return std::make_unique<LibcryptoDecryptor>(cipher, key, job);
  return make_engine_decryptor(cipher, key, job, options);
}

}  // namespace phalanx
