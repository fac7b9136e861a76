#include "files/foreign/openpgp/chunks_decryptor.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>

#include "engine/bytes/byte_order.hpp"
#include "files/foreign/openpgp/refusals.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr std::size_t number_bytes = 8;  // of a chunk, or of the plaintext's size

std::array<std::uint8_t, number_bytes> big_endian(std::uint64_t number) {
  std::array<std::uint8_t, number_bytes> bytes{};
  store_u64(bytes.data(), reverse_bytes(number));
  return bytes;
}

void append(std::vector<std::uint8_t>& data, std::uint64_t number) {
  const std::array<std::uint8_t, number_bytes> bytes = big_endian(number);
  data.insert(data.end(), bytes.begin(), bytes.end());
}

}  // namespace

ChunksDecryptor::ChunksDecryptor(const OpenPgpFront& front, const SessionKey& session_key, const std::string& name,
                                 const RunOptions& options)
    : name_(name),
      is_of_gnupg_(front.protection == OpenPgpProtection::aead_of_gnupg),
      chunk_bytes_(static_cast<std::size_t>(front.chunks.chunk_bytes)),
      nonce_bytes_(nonce_bytes_of(front.chunks.aead)),
      described_(front.chunks.described) {
  const ChunkFormat& format = front.chunks;
  if (is_of_gnupg_) {
    std::ranges::copy(format.salt_or_nonce, first_nonce_.begin());
    aead_ = make_chunk_aead(format.cipher, format.aead, session_key.key, options);
    return;
  }
  // HKDF gives the key and the beginning of the nonces, whose end is the chunk's number.
  SecretBytes derived(format.cipher.key_bytes + nonce_bytes_ - number_bytes);
  derive_hkdf_sha256(session_key.key, format.salt_or_nonce, described_, derived);
  std::ranges::copy(Bytes(derived).subspan(format.cipher.key_bytes), first_nonce_.begin());
  aead_ = make_chunk_aead(format.cipher, format.aead, Bytes(derived).first(format.cipher.key_bytes), options);
}

std::size_t ChunksDecryptor::piece_bytes() const {
  return sealed_bytes() * std::max<std::size_t>(1, default_piece_bytes / sealed_bytes());
}

// The chunk's number is added to the end of the nonce, which in RFC 9580 is zero.
std::array<std::uint8_t, 16> ChunksDecryptor::nonce_of(std::uint64_t chunk) const {
  std::array<std::uint8_t, 16> nonce = first_nonce_;
  const std::array<std::uint8_t, number_bytes> number = big_endian(chunk);
  for (std::size_t i = 0; i < number_bytes; ++i) nonce[nonce_bytes_ - number_bytes + i] ^= number[i];
  return nonce;
}

bool ChunksDecryptor::open(std::uint64_t chunk, MutableBytes text, Bytes tag) const {
  std::vector<std::uint8_t> associated_data = described_;
  if (is_of_gnupg_) append(associated_data, chunk);
  return aead_->open(Bytes(nonce_of(chunk)).first(nonce_bytes_), associated_data, text, tag);
}

// The last tag is that of no text, and authenticates how long all of it is.
bool ChunksDecryptor::is_last_tag(std::uint64_t num_chunks, std::uint64_t text_bytes, Bytes tag) const {
  std::vector<std::uint8_t> associated_data = described_;
  if (is_of_gnupg_) append(associated_data, num_chunks);
  append(associated_data, text_bytes);
  return aead_->open(Bytes(nonce_of(num_chunks)).first(nonce_bytes_), associated_data, {}, tag);
}

void ChunksDecryptor::process(Piece& piece) {
  constexpr std::size_t tag_bytes = ChunkAead::tag_bytes;
  MutableBytes sealed = piece.buffer.first(piece.size);
  std::uint64_t chunk = piece.offset / sealed_bytes();
  const std::uint64_t first_offset = chunk * chunk_bytes_;
  Bytes last_tag;
  if (piece.last) {
    if (sealed.size() < tag_bytes) refuse_to_open_message(name_);
    last_tag = sealed.last(tag_bytes);
    sealed = sealed.first(sealed.size() - tag_bytes);
  }
  std::size_t text_bytes = 0;
  while (!sealed.empty()) {
    const std::size_t size = std::min(sealed.size(), sealed_bytes());
    if (size <= tag_bytes) refuse_to_open_message(name_);
    const MutableBytes text = sealed.first(size - tag_bytes);
    if (!open(chunk++, text, sealed.subspan(text.size(), tag_bytes))) refuse_to_open_message(name_);
    std::uint8_t* const place = piece.buffer.data() + text_bytes;
    if (place != text.data()) std::memmove(place, text.data(), text.size());
    text_bytes += text.size();
    sealed = sealed.subspan(size);
  }
  if (piece.last && !is_last_tag(chunk, first_offset + text_bytes, last_tag)) refuse_to_open_message(name_);
  piece.offset = first_offset;
  piece.size = text_bytes;
}

}  // namespace phalanx
