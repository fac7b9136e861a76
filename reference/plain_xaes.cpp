#include "reference/plain_xaes.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/plain_aes.hpp"
#include "reference/plain_gcm.hpp"

namespace phalanx::reference {
namespace {

using Block = std::array<std::uint8_t, 16>;

Block encrypt(const Aes& aes_256_K, const Block& block) {
  Block result;
  aes_256_K.encrypt_block(block.data(), result.data());
  return result;
}

Block operator^(const Block& a, const Block& b) {
  Block result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] ^ b[i];
  return result;
}

// L << 1, the first byte being the most significant.
Block shift_left(const Block& L) {
  Block result;
  for (std::size_t i = 0; i < L.size(); ++i) {
    const unsigned next = i + 1 < L.size() ? L[i + 1] : 0;
    result[i] = static_cast<std::uint8_t>(L[i] << 1 | next >> 7);
  }
  return result;
}

// 0x00 || i || 0x58 || 0x00 || N[:12]
Block prf_input(std::uint8_t i, Bytes N) {
  Block M{0x00, i, 0x58, 0x00};
  std::copy_n(N.begin(), 12, M.begin() + 4);
  return M;
}

}  // namespace

XaesDerivation derive_xaes(Bytes K, Bytes N) {
  if (K.size() != xaes_key_bytes) throw std::invalid_argument("a key of XAES-256-GCM has 32 bytes");
  if (N.size() != xaes_nonce_bytes) throw std::invalid_argument("a nonce of XAES-256-GCM has 24 bytes");
  const Aes aes_256_K(K);
  XaesDerivation d{};
  d.L = encrypt(aes_256_K, Block{});  // step 1
  d.K1 = shift_left(d.L);             // step 2
  if (d.L[0] >> 7 == 1) d.K1 = d.K1 ^ Block { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x87 };
  d.M1 = prf_input(0x01, N);                                                                      // step 3
  d.M2 = prf_input(0x02, N);                                                                      // step 4
  const Block first = encrypt(aes_256_K, d.M1 ^ d.K1), second = encrypt(aes_256_K, d.M2 ^ d.K1);  // step 5
  std::copy(first.begin(), first.end(), d.Kx.begin());
  std::copy(second.begin(), second.end(), d.Kx.begin() + 16);
  std::copy_n(N.begin() + 12, 12, d.Nx.begin());  // step 6
  return d;
}

ByteVector xaes_seal(Bytes K, Bytes N, Bytes associated_data, Bytes in) {
  const XaesDerivation d = derive_xaes(K, N);
  return gcm_seal(Aes(d.Kx), d.Nx, associated_data, in);
}

std::optional<ByteVector> xaes_open(Bytes K, Bytes N, Bytes associated_data, Bytes in) {
  const XaesDerivation d = derive_xaes(K, N);
  return gcm_open(Aes(d.Kx), d.Nx, associated_data, in);
}

}  // namespace phalanx::reference
