#include "files/foreign/segment_decryptor.hpp"

#include <algorithm>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::size_t num_windows = 4096;  // that are encrypted at once: enough for the lanes, and little memory
constexpr unsigned byte_bits = 8;

}  // namespace

SegmentDecryptor::SegmentDecryptor(const ForeignCipher& cipher, Bytes key, const ChainValue& iv, const RunOptions& options)
    : cipher_(cipher.engine, key, false, that_may_encrypt(options)),
      block_bytes_(cipher.block_bytes),
      segment_bits_(cipher.segment_bits),
      iv_(iv) {}

void SegmentDecryptor::decrypt_bytes(Bytes register_and_text, MutableBytes windows, MutableBytes text) const {
  for (std::size_t i = 0; i < text.size(); ++i)
    std::ranges::copy(register_and_text.subspan(i, block_bytes_), windows.subspan(i * block_bytes_).begin());
  cipher_.crypt_part(Direction::encrypt, {}, 0, windows.first(text.size() * block_bytes_));
  for (std::size_t i = 0; i < text.size(); ++i) text[i] ^= windows[i * block_bytes_];
}

void SegmentDecryptor::decrypt_bits(Bytes register_and_text, MutableBytes windows, MutableBytes text) const {
  constexpr unsigned top = byte_bits - 1;
  for (std::size_t bit = 0; bit < text.size() * byte_bits; ++bit) {
    const unsigned shift = bit % byte_bits;
    const Bytes before = register_and_text.subspan(bit / byte_bits, block_bytes_ + 1);
    const MutableBytes window = windows.subspan(bit * block_bytes_, block_bytes_);
    for (std::size_t i = 0; i < block_bytes_; ++i) {
      const unsigned pair = static_cast<unsigned>(before[i]) << byte_bits | before[i + 1];
      window[i] = static_cast<std::uint8_t>(pair >> (byte_bits - shift));
    }
  }
  cipher_.crypt_part(Direction::encrypt, {}, 0, windows.first(text.size() * byte_bits * block_bytes_));
  for (std::size_t bit = 0; bit < text.size() * byte_bits; ++bit) {
    const unsigned key_bit = windows[bit * block_bytes_] >> top;
    text[bit / byte_bits] ^= static_cast<std::uint8_t>(key_bit << (top - bit % byte_bits));
  }
}

void SegmentDecryptor::process(Piece& piece) {
  const MutableBytes whole = piece.buffer.first(piece.size);
  const std::size_t most_bytes = segment_bits_ == 1 ? num_windows / byte_bits : num_windows;
  SecretBytes windows(std::min(whole.size(), most_bytes) * (segment_bits_ == 1 ? byte_bits : 1) * block_bytes_);
  std::vector<std::uint8_t> text(block_bytes_ + most_bytes + 1);  // ciphertext: nothing to wipe
  const ChainValue& before = piece.offset == 0 ? iv_ : piece.preceding;
  std::copy_n(before.bytes.begin(), block_bytes_, text.begin());
  for (std::size_t done = 0; done < whole.size(); done += most_bytes) {
    const MutableBytes part = whole.subspan(done, std::min(most_bytes, whole.size() - done));
    std::ranges::copy(part, text.begin() + static_cast<std::ptrdiff_t>(block_bytes_));
    segment_bits_ == 1 ? decrypt_bits(text, windows, part) : decrypt_bytes(text, windows, part);
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(part.size()), block_bytes_, text.begin());
  }
}

}  // namespace phalanx
