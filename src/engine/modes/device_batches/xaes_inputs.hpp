// XAES-256-GCM on a GPU (c2sp.org/XAES-256-GCM): what the key in place encrypts to make a message's own key.
#pragma once

#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// M1 ^ K1 and M2 ^ K1, where M is 0x00 || i || 0x58 || 0x00 || N[:12] and K1 the first subkey of CMAC. `L`: the zero block,
/// encrypted. No branch: it is secret.
PHALANX_INLINE void make_xaes_inputs(const GpuBlock128& L, const std::uint8_t* nonce, GpuBlock128 inputs[2]) {
  std::uint32_t K1[5];  // big-endian words: SP 800-38B section 6.1, L << 1, with 0x87 added if a 1 was shifted out
  for (unsigned i = 0; i < 4; ++i) K1[i] = reverse_bytes32(L.word[i]);
  const std::uint32_t carry = 0 - (K1[0] >> 31);
  K1[4] = 0;
  for (unsigned i = 0; i < 4; ++i) K1[i] = K1[i] << 1 | K1[i + 1] >> 31;
  K1[3] ^= carry & 0x87;
  for (std::uint32_t i = 0; i < 2; ++i) {
    inputs[i].word[0] = (i + 1) << 8 | 0x580000;
    for (unsigned j = 1; j < 4; ++j) {
      const std::uint8_t* const part = nonce + 4 * (j - 1);
      inputs[i].word[j] = part[0] | part[1] << 8 | part[2] << 16 | static_cast<std::uint32_t>(part[3]) << 24;
    }
    for (unsigned j = 0; j < 4; ++j) inputs[i].word[j] ^= reverse_bytes32(K1[j]);
  }
}

}  // namespace
}  // namespace phalanx
