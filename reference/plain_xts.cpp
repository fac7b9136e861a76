#include "reference/plain_xts.hpp"

#include <algorithm>
#include <stdexcept>

namespace phalanx::reference {
namespace {

constexpr std::size_t block_bytes = 16;

// Section 5.2: multiplication by alpha in GF(2^128), modulo x^128 + x^7 + x^2 + x + 1, least significant byte first.
void multiply_by_alpha(XtsTweak& T) {
  unsigned carry = 0;
  for (std::uint8_t& byte : T) {
    const unsigned shifted = byte << 1 | carry;
    byte = static_cast<std::uint8_t>(shifted);
    carry = shifted >> 8;
  }
  if (carry != 0) T[0] ^= 0x87;
}

// Section 5.3.1, XTS-AES-blockEnc, and 5.4.1, XTS-AES-blockDec, given T. `in` and `out` may be the same.
void crypt_block(const BlockCipher& data_cipher, Direction direction, const XtsTweak& T, const std::uint8_t* in,
                 std::uint8_t* out) {
  std::array<std::uint8_t, block_bytes> PP;
  for (std::size_t i = 0; i < block_bytes; ++i) PP[i] = in[i] ^ T[i];
  if (direction == Direction::encrypt) {
    data_cipher.encrypt_block(PP.data(), PP.data());
  } else {
    data_cipher.decrypt_block(PP.data(), PP.data());
  }
  for (std::size_t i = 0; i < block_bytes; ++i) out[i] = PP[i] ^ T[i];
}

// Section 5.3.2, the case of a last block of b > 0 bits, and its like in 5.4.2. `in` and `out` hold the last whole block and
// the short one after it; T belongs to the whole one's place. Encryption takes the two tweaks in order, decryption the other
// way round: the block that was encrypted last, under the later tweak, stands first.
void steal_ciphertext(const BlockCipher& data_cipher, Direction direction, XtsTweak T, Bytes in, std::uint8_t* out) {
  XtsTweak next_T = T;
  multiply_by_alpha(next_T);
  if (direction == Direction::decrypt) std::swap(T, next_T);

  const std::size_t short_bytes = in.size() - block_bytes;
  std::array<std::uint8_t, block_bytes> CC;
  crypt_block(data_cipher, direction, T, in.data(), CC.data());
  std::array<std::uint8_t, block_bytes> PP = CC;
  std::copy_n(&in[block_bytes], short_bytes, PP.begin());
  crypt_block(data_cipher, direction, next_T, PP.data(), out);
  std::copy_n(CC.begin(), short_bytes, out + block_bytes);
}

}  // namespace

ByteVector xts(const BlockCipher& data_cipher, const BlockCipher& tweak_cipher, Direction direction, Bytes tweak, Bytes in) {
  return xts_from(data_cipher, direction, xts_tweak(tweak_cipher, tweak, 0), in);
}

ByteVector xts_from(const BlockCipher& data_cipher, Direction direction, XtsTweak T, Bytes in) {
  if (data_cipher.block_bytes() != block_bytes) throw std::invalid_argument("XTS needs a cipher with a block of 16 bytes");
  if (in.size() < block_bytes) throw std::invalid_argument("an XTS data unit has at least 16 bytes");
  ByteVector out(in.size());
  const std::size_t stealing_bytes = in.size() % block_bytes == 0 ? 0 : block_bytes + in.size() % block_bytes;
  const std::size_t whole_bytes = in.size() - stealing_bytes;
  for (std::size_t j = 0; j < whole_bytes; j += block_bytes) {
    crypt_block(data_cipher, direction, T, &in[j], &out[j]);
    multiply_by_alpha(T);
  }
  if (stealing_bytes != 0) steal_ciphertext(data_cipher, direction, T, in.subspan(whole_bytes), &out[whole_bytes]);
  return out;
}

XtsTweak xts_tweak(const BlockCipher& tweak_cipher, Bytes tweak, std::uint64_t block) {
  if (tweak_cipher.block_bytes() != block_bytes) throw std::invalid_argument("XTS needs a cipher with a block of 16 bytes");
  if (tweak.size() != block_bytes) throw std::invalid_argument("the tweak must be 16 bytes long");
  XtsTweak T;
  tweak_cipher.encrypt_block(tweak.data(), T.data());
  for (; block != 0; --block) multiply_by_alpha(T);
  return T;
}

}  // namespace phalanx::reference
