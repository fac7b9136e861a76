// What one instruction set supplies for one cipher: a table of plain functions, filled by one small .cpp per cipher and
// instruction set (engines/cpu/<cipher>_<instruction set>.cpp) which alone is compiled with that set's flags.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/direction.hpp"
#include "ciphers/mode.hpp"

namespace phalanx {

/// Crypts num_blocks whole blocks from `in` to `out` (the same memory or disjoint; no alignment needed). `iv` is the chaining
/// state before the first block and, afterwards, that after the last one: CBC, CFB: the preceding ciphertext block; OFB: the
/// preceding keystream block; CTR: the next counter block, big-endian over the whole block; XTS: the next tweak, already
/// encrypted (IEEE 1619 T, times alpha for each block). ECB leaves it alone.
using RangeFunction = void (*)(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                               std::size_t num_blocks);

/// GCM's encryption (SP 800-38D section 7.1) of num_blocks whole blocks: CTR, `counter` as in RangeFunction, and GHASH of the
/// ciphertext into y. The hash key is that of the same instruction set's GhashKernel. `counter` carries beyond 32 bits: the
/// caller sees to it that the low 32 do not wrap before the last block.
using GcmFunction = void (*)(const void* schedule, const void* hash_key, std::uint8_t* counter, std::uint8_t* y,
                             const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks);

/// Crypts `lanes` blocks in ECB, block j under the key of lane j.
using LanesFunction = void (*)(const void* lane_schedules, const std::uint8_t* in, std::uint8_t* out);

struct Kernel {
  std::size_t block_bytes;
  std::size_t lanes;
  /// Up to so many blocks at the end of a range of independent blocks are crypted one by one rather than in a group. The core's
  /// own figure until a measurement replaces it; read and written atomically (relaxed), since ranges may be running.
  std::size_t* serial_blocks;
  std::size_t schedule_bytes;        ///< size of an expanded key; it is aligned to 64 bytes
  std::size_t lane_schedules_bytes;  ///< size of an expanded key for every lane; aligned to 64 bytes
  void (*expand_key)(const std::uint8_t* key, std::size_t key_bytes, void* schedule);
  void (*set_lane)(void* lane_schedules, std::size_t lane, const void* schedule);
  RangeFunction range[num_range_modes][num_directions];  ///< [Mode][Direction]
  GcmFunction gcm_encrypt;                               ///< nullptr for 64-bit blocks
  LanesFunction crypt_lanes[num_directions];
};

/// GHASH of SP 800-38D section 6.4 under one hash key.
struct GhashKernel {
  std::size_t key_bytes;  ///< size of the expanded hash key; aligned to 64 bytes
  void (*expand_key)(const std::uint8_t* hash_subkey, void* key);
  /// y = (y ^ X1) * H, ... over num_blocks blocks of 16 bytes.
  void (*update)(const void* key, std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks);
};

/// One instruction set: its kernels, and whether this machine can run them.
struct InstructionSet {
  const char* name;         ///< "scalar", "avx2", "avx512"
  const char* description;  ///< the instructions, for people
  bool (*usable)();
  const Kernel* des;  ///< DES, double DES, triple DES: by the key's length
  const Kernel* aes_128;
  const Kernel* aes_192;
  const Kernel* aes_256;
  const Kernel* serpent;
  const Kernel* twofish;
  const GhashKernel* ghash;
};

// clang-format off
#define PHALANX_DECLARE_KERNELS(isa)                                                                     \
  extern const Kernel des_kernel_##isa, aes_128_kernel_##isa, aes_192_kernel_##isa, aes_256_kernel_##isa, \
      serpent_kernel_##isa, twofish_kernel_##isa;                                                        \
  extern const GhashKernel ghash_kernel_##isa;
// clang-format on
PHALANX_DECLARE_KERNELS(scalar)
PHALANX_DECLARE_KERNELS(avx2)
PHALANX_DECLARE_KERNELS(avx512)
/// The AVX-512 kernels over an emulation of their instructions in plain C++ (tests/): every machine tests their logic.
PHALANX_DECLARE_KERNELS(avx512_emulated)
#undef PHALANX_DECLARE_KERNELS

}  // namespace phalanx
