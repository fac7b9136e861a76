// What one instruction set supplies for one cipher: a table of plain functions, filled by one small .cpp per cipher
// and instruction set (engine/engines/cpu/kernels/<cipher>_<instruction set>.cpp), which alone is compiled with that set's
// flags.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/modes/aead_text.hpp"
#include "engine/modes/lane_messages.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {

/// Crypts num_blocks whole blocks from `in` to `out` (the same memory or disjoint; no alignment needed). `iv` is the
/// chaining state before the first block and, afterwards, that after the last one: CBC, CFB: the preceding ciphertext block;
/// OFB: the preceding key stream block; CTR: the next counter block, big-endian over the whole block; XTS: the next tweak,
/// already encrypted (IEEE 1619 T, times alpha for each block). ECB leaves it alone.
using RangeFunction = void (*)(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                               std::size_t num_blocks);

/// GCM (SP 800-38D sections 7.1 and 7.2) over num_blocks whole blocks: CTR, `counter` as in RangeFunction, and GHASH of the
/// ciphertext into y, which then takes in the num_last blocks at `last`: 0 to 2. The hash key is that of the same set's
/// GhashKernel. `counter` carries beyond 32 bits: the caller sees to it that the low 32 do not wrap before the last block.
using GcmFunction = void (*)(const void* schedule, const void* hash_key, std::uint8_t* counter, std::uint8_t* y,
                             const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks, const std::uint8_t* last,
                             std::size_t num_last);

/// A message of GCM from its nonce to its tag.
using GcmSealFunction = void (*)(const void* schedule, const void* hash_key, const AeadText& text);
/// Whether the tag verifies. If `in_one_pass`, the text is decrypted while it is hashed, whatever comes of it; else only if
/// the tag verifies.
using GcmOpenFunction = bool (*)(const void* schedule, const void* hash_key, const AeadText& text, bool in_one_pass);

/// Crypts num_steps blocks of as many messages as there are lanes, fewer where a message ends: message j under the key of
/// lane j, or all under one. `rows` is working memory of lane_rows_bytes bytes, aligned to 64, which begins with the
/// chaining states of all lanes one after another, before and after; those of messages that end earlier are of no use
/// afterwards, except that CTR and XTS count on to num_steps.
using LanesFunction = void (*)(const void* keys, std::uint8_t* rows, const LaneMessages& messages, std::size_t num_steps);

/// Crypts many messages under one key, each as RangeFunction would.
using PackedFunction = void (*)(const void* schedule, const MessageBlocks* messages, std::size_t num_messages);

struct Kernel {
  std::size_t block_bytes = 0;
  std::size_t lanes = 0;
  /// Up to so many blocks at the end of a range of independent blocks are crypted one by one rather than in a group. The
  /// core's own figure until a measurement replaces it; read and written atomically (relaxed), since ranges may be running.
  std::size_t* serial_blocks = nullptr;
  std::size_t schedule_bytes = 0;        ///< size of an expanded key; it is aligned to 64 bytes
  std::size_t lane_schedules_bytes = 0;  ///< size of an expanded key for every lane; aligned to 64 bytes
  void (*expand_key)(const std::uint8_t* key, std::size_t key_bytes, void* schedule) = nullptr;
  RangeFunction range[num_range_modes][num_directions] = {};  ///< [Mode][Direction]
  GcmFunction gcm[num_directions] = {};                       ///< nullptr for 64-bit blocks
  GcmSealFunction gcm_seal = nullptr;  ///< nullptr, as gcm_open, where a single block takes longer than one of many
  GcmOpenFunction gcm_open = nullptr;

  // Batches.
  std::size_t serial_messages = 0;  ///< so many messages in a serial mode are faster one after another than in lanes
  std::size_t lane_rows_bytes = 0;  ///< LanesFunction's working memory
  std::size_t key_lanes = 0;        ///< lanes whose keys are expanded together
  /// Expands the keys of lanes first_lane to first_lane + key_lanes - 1; first_lane is a multiple of key_lanes. Bytes 8 i to
  /// 8 i + 7 of lane j's key lie at keys + 8 * (i * lanes + j).
  void (*expand_lane_keys)(const std::uint8_t* keys, std::size_t key_bytes, std::size_t first_lane,
                           void* lane_schedules) = nullptr;
  /// Puts what the cipher in this direction takes of an expanded key into a lane: [Direction]. nullptr where lanes take keys
  /// in another form, and expand them anew.
  void (*set_lane[num_directions])(const void* schedule, std::size_t lane, void* lane_schedules) = {};
  PackedFunction packed[num_range_modes][num_directions] = {};  ///< nullptr where each block needs the one before
  LanesFunction multi_buffer[num_range_modes][num_directions] =
      {};                                                         ///< `keys` is a schedule; nullptr where there is `packed`
  LanesFunction multi_key[num_range_modes][num_directions] = {};  ///< `keys` is lane schedules
};

/// GHASH of SP 800-38D section 6.4 under one hash key.
struct GhashKernel {
  std::size_t key_bytes;  ///< size of the expanded hash key; aligned to 64 bytes
  void (*expand_key)(const std::uint8_t* hash_subkey, void* key);
  /// y = (y ^ X1) * H, ... over num_blocks blocks of 16 bytes and then the num_last blocks at `last`.
  void (*update)(const void* key, std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                 std::size_t num_last);
};

/// One instruction set: its kernels, and whether this machine can run them.
struct InstructionSet {
  const char* name;         ///< "scalar", "avx2", "avx2+vaes", "avx512", "neon", "neon+sha3"
  const char* description;  ///< the instructions, for people
  bool (*usable)();
  const Kernel* kernels[num_cipher_kernels];  ///< [CipherKernel]
  const GhashKernel* ghash;

  [[nodiscard]] const Kernel& kernel_of(const CipherSpec& cipher) const {
    return *kernels[static_cast<unsigned>(cipher.kernel)];
  }
};

#define PHALANX_DECLARE_KERNEL(name, isa) extern const Kernel name##_kernel_##isa;
#define PHALANX_DECLARE_AES_KERNELS(isa)           \
  PHALANX_AES_KERNELS(PHALANX_DECLARE_KERNEL, isa) \
  extern const GhashKernel ghash_kernel_##isa;
#define PHALANX_DECLARE_KERNELS(isa) \
  PHALANX_DECLARE_AES_KERNELS(isa)   \
  PHALANX_OTHER_KERNELS(PHALANX_DECLARE_KERNEL, isa)
PHALANX_DECLARE_KERNELS(scalar)
PHALANX_DECLARE_KERNELS(avx2)
PHALANX_DECLARE_AES_KERNELS(avx2_vaes)
PHALANX_DECLARE_KERNELS(avx512)
PHALANX_DECLARE_KERNELS(neon)
PHALANX_DECLARE_KERNELS(neon_sha3)
/// The AVX-512 kernels over an emulation of their instructions in plain C++ (tests/): every machine tests their logic.
PHALANX_DECLARE_KERNELS(avx512_emulated)
/// Those of VAES over AES-NI (tests/).
PHALANX_DECLARE_AES_KERNELS(avx2_vaes_emulated)
#undef PHALANX_DECLARE_KERNELS
#undef PHALANX_DECLARE_AES_KERNELS
#undef PHALANX_DECLARE_KERNEL

// An instruction set's members `kernels` and `ghash`: those of `aes_isa` for AES and GHASH, those of `isa` for the others.
#define PHALANX_KERNEL_ADDRESS(name, isa) &name##_kernel_##isa,
#define PHALANX_KERNELS(isa, aes_isa)                                                                                   \
  .kernels = {PHALANX_AES_KERNELS(PHALANX_KERNEL_ADDRESS, aes_isa) PHALANX_OTHER_KERNELS(PHALANX_KERNEL_ADDRESS, isa)}, \
  .ghash = &ghash_kernel_##aes_isa

}  // namespace phalanx
