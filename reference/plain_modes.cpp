#include "reference/plain_modes.hpp"

#include <algorithm>
#include <stdexcept>

namespace phalanx::reference {
namespace {

void require_whole_blocks(const BlockCipher& cipher, Bytes in) {
  if (in.size() % cipher.block_bytes() != 0) throw std::invalid_argument("ECB and CBC take whole blocks only");
}

ByteVector checked_iv(const BlockCipher& cipher, Bytes iv) {
  if (iv.size() != cipher.block_bytes()) throw std::invalid_argument("the iv must be one block long");
  return {iv.begin(), iv.end()};
}

void xor_into(std::uint8_t* out, const std::uint8_t* in, std::size_t num_bytes) {
  for (std::size_t i = 0; i < num_bytes; ++i) out[i] ^= in[i];
}

// Appendix B.1, the standard incrementing function with m = b.
void increment(ByteVector& counter) {
  for (std::size_t i = counter.size(); i-- > 0;) {
    if (++counter[i] != 0) return;
  }
}

}  // namespace

ByteVector ecb(const BlockCipher& cipher, Direction direction, Bytes in) {
  require_whole_blocks(cipher, in);
  ByteVector out(in.size());
  for (std::size_t j = 0; j < in.size(); j += cipher.block_bytes()) {
    if (direction == Direction::encrypt) {
      cipher.encrypt_block(&in[j], &out[j]);
    } else {
      cipher.decrypt_block(&in[j], &out[j]);
    }
  }
  return out;
}

ByteVector cbc(const BlockCipher& cipher, Direction direction, Bytes iv, Bytes in) {
  require_whole_blocks(cipher, in);
  const std::size_t b = cipher.block_bytes();
  ByteVector previous = checked_iv(cipher, iv);  // C[j-1]
  ByteVector out(in.begin(), in.end());
  for (std::size_t j = 0; j < in.size(); j += b) {
    if (direction == Direction::encrypt) {
      xor_into(&out[j], previous.data(), b);
      cipher.encrypt_block(&out[j], &out[j]);
      previous.assign(&out[j], &out[j] + b);
    } else {
      cipher.decrypt_block(&in[j], &out[j]);
      xor_into(&out[j], previous.data(), b);
      previous.assign(&in[j], &in[j] + b);
    }
  }
  return out;
}

ByteVector cfb(const BlockCipher& cipher, Direction direction, Bytes iv, Bytes in) {
  const std::size_t b = cipher.block_bytes();
  ByteVector I = checked_iv(cipher, iv);  // the input block: the iv, then the previous ciphertext block
  ByteVector O(b);
  ByteVector out(in.begin(), in.end());
  for (std::size_t j = 0; j < in.size(); j += b) {
    const std::size_t n = std::min(b, in.size() - j);
    cipher.encrypt_block(I.data(), O.data());
    xor_into(&out[j], O.data(), n);
    const std::uint8_t* ciphertext = direction == Direction::encrypt ? &out[j] : &in[j];
    std::copy_n(ciphertext, n, I.begin());
  }
  return out;
}

ByteVector ofb(const BlockCipher& cipher, Bytes iv, Bytes in) {
  const std::size_t b = cipher.block_bytes();
  ByteVector O = checked_iv(cipher, iv);  // the iv, then the previous output block
  ByteVector out(in.begin(), in.end());
  for (std::size_t j = 0; j < in.size(); j += b) {
    cipher.encrypt_block(O.data(), O.data());
    xor_into(&out[j], O.data(), std::min(b, in.size() - j));
  }
  return out;
}

ByteVector ctr(const BlockCipher& cipher, Bytes iv, Bytes in) {
  const std::size_t b = cipher.block_bytes();
  ByteVector T = checked_iv(cipher, iv);
  ByteVector O(b);
  ByteVector out(in.begin(), in.end());
  for (std::size_t j = 0; j < in.size(); j += b) {
    cipher.encrypt_block(T.data(), O.data());
    xor_into(&out[j], O.data(), std::min(b, in.size() - j));
    increment(T);
  }
  return out;
}

ByteVector counter_block(Bytes iv, std::uint64_t index) {
  ByteVector counter(iv.begin(), iv.end());
  unsigned carry = 0;
  for (std::size_t i = counter.size(); i-- > 0; index >>= 8) {
    const unsigned sum = counter[i] + static_cast<unsigned>(index & 0xff) + carry;
    counter[i] = static_cast<std::uint8_t>(sum);
    carry = sum >> 8;
  }
  return counter;
}

}  // namespace phalanx::reference
