#include "reference/plain_gcm.hpp"

#include <algorithm>
#include <stdexcept>

namespace phalanx::reference {
namespace {

constexpr std::size_t block_bytes = 16;

// The 128 bits of a block as two halves: x_0, the first bit of the string, is the most significant bit of `high`.
struct Bits {
  std::uint64_t high = 0, low = 0;
};

Bits load_bits(const std::uint8_t* bytes) {
  Bits bits;
  for (unsigned i = 0; i < 8; ++i) bits.high = bits.high << 8 | bytes[i];
  for (unsigned i = 8; i < 16; ++i) bits.low = bits.low << 8 | bytes[i];
  return bits;
}

GcmBlock store_bits(const Bits& bits) {
  GcmBlock block;
  for (unsigned i = 0; i < 8; ++i) {
    block[i] = static_cast<std::uint8_t>(bits.high >> (56 - 8 * i));
    block[i + 8] = static_cast<std::uint8_t>(bits.low >> (56 - 8 * i));
  }
  return block;
}

// Section 6.3, algorithm 1, with R = 11100001 || 0^120.
Bits multiply(const Bits& X, const Bits& Y) {
  Bits Z, V = Y;
  for (unsigned i = 0; i < 128; ++i) {
    const std::uint64_t x_i = (i < 64 ? X.high >> (63 - i) : X.low >> (127 - i)) & 1;
    Z.high ^= V.high & (0 - x_i);
    Z.low ^= V.low & (0 - x_i);
    const std::uint64_t last = V.low & 1;
    V.low = V.low >> 1 | V.high << 63;
    V.high = (V.high >> 1) ^ (last * (std::uint64_t{0xe1} << 56));
  }
  return Z;
}

// Section 6.2: inc_32.
void increment_32(GcmBlock& counter) {
  for (std::size_t i = block_bytes; i-- > block_bytes - 4;) {
    if (++counter[i] != 0) return;
  }
}

// Section 6.5: GCTR.
ByteVector gctr(const BlockCipher& cipher, GcmBlock ICB, Bytes X) {
  ByteVector Y(X.begin(), X.end());
  for (std::size_t i = 0; i < X.size(); i += block_bytes) {
    GcmBlock keystream;
    cipher.encrypt_block(ICB.data(), keystream.data());
    for (std::size_t j = 0; j < block_bytes && i + j < X.size(); ++j) Y[i + j] ^= keystream[j];
    increment_32(ICB);
  }
  return Y;
}

void pad_to_block(ByteVector& string) { string.resize((string.size() + block_bytes - 1) / block_bytes * block_bytes); }

// [len]_64: a length in bits as eight bytes.
void append_length(ByteVector& string, std::uint64_t num_bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) string.push_back(static_cast<std::uint8_t>(num_bytes * 8 >> shift));
}

struct HashSubkey {
  GcmBlock H{};
  explicit HashSubkey(const BlockCipher& cipher) {
    if (cipher.block_bytes() != block_bytes) throw std::invalid_argument("GCM needs a cipher with a block of 16 bytes");
    cipher.encrypt_block(H.data(), H.data());
  }
};

// Section 7.1, step 2: the pre-counter block J0.
GcmBlock pre_counter_block(const GcmBlock& H, Bytes IV) {
  if (IV.empty()) throw std::invalid_argument("the GCM nonce must have at least one byte");
  if (IV.size() == 12) {
    GcmBlock J0{};
    std::copy(IV.begin(), IV.end(), J0.begin());
    J0[15] = 1;
    return J0;
  }
  ByteVector string(IV.begin(), IV.end());
  pad_to_block(string);
  string.resize(string.size() + 8);
  append_length(string, IV.size());
  return ghash(H, string);
}

// Section 7.1, steps 4 to 6, with t = 128.
ByteVector tag(const BlockCipher& cipher, const GcmBlock& H, const GcmBlock& J0, Bytes A, Bytes C) {
  ByteVector string(A.begin(), A.end());
  pad_to_block(string);
  string.insert(string.end(), C.begin(), C.end());
  pad_to_block(string);
  append_length(string, A.size());
  append_length(string, C.size());
  return gctr(cipher, J0, ghash(H, string));
}

GcmBlock incremented(GcmBlock counter) {
  increment_32(counter);
  return counter;
}

}  // namespace

GcmBlock gf128_multiply(const GcmBlock& X, const GcmBlock& Y) {
  return store_bits(multiply(load_bits(X.data()), load_bits(Y.data())));
}

GcmBlock ghash(const GcmBlock& H, Bytes X) {
  if (X.size() % block_bytes != 0) throw std::invalid_argument("GHASH takes whole blocks only");
  const Bits subkey = load_bits(H.data());
  Bits Y;
  for (std::size_t i = 0; i < X.size(); i += block_bytes) {
    const Bits block = load_bits(&X[i]);
    Y = multiply({Y.high ^ block.high, Y.low ^ block.low}, subkey);
  }
  return store_bits(Y);
}

ByteVector gcm_seal(const BlockCipher& cipher, Bytes nonce, Bytes associated_data, Bytes in) {
  const GcmBlock H = HashSubkey(cipher).H;
  const GcmBlock J0 = pre_counter_block(H, nonce);
  ByteVector out = gctr(cipher, incremented(J0), in);
  const ByteVector T = tag(cipher, H, J0, associated_data, out);
  out.insert(out.end(), T.begin(), T.end());
  return out;
}

std::optional<ByteVector> gcm_open(const BlockCipher& cipher, Bytes nonce, Bytes associated_data, Bytes in) {
  const GcmBlock H = HashSubkey(cipher).H;
  const GcmBlock J0 = pre_counter_block(H, nonce);
  if (in.size() < gcm_tag_bytes) return std::nullopt;
  const Bytes C = in.first(in.size() - gcm_tag_bytes);
  const ByteVector expected = tag(cipher, H, J0, associated_data, C);
  if (!std::ranges::equal(expected, in.last(gcm_tag_bytes))) return std::nullopt;
  return gctr(cipher, incremented(J0), C);
}

}  // namespace phalanx::reference
