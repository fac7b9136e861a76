// Altinok, Peker and Temizel (2020), section IV: triple DES with a GPU thread for every bit, as the paper describes it.
//
// A bit is a char, 0 or 1, bit 1 of FIPS 46-3 first: a block is 64 chars, a base key 64, a round key 48. All pointers are to
// the GPU's global memory.
#pragma once

#include "reproductions/fips46_tables.hpp"

namespace papers::altinok2020 {

inline constexpr int num_base_keys = 3;
inline constexpr int bits_per_block = 64;
inline constexpr int bits_per_round_key = 48;
inline constexpr int round_key_chars = 16 * bits_per_round_key;  // of one base key

/// The paper's argument `mode`: the order in which a launch takes its sixteen round keys.
enum class Mode { encryption, decryption };

/// Section IV-A: 3 blocks of 56 threads. base_keys: 3 * 64 chars; round_keys: 3 * 16 * 48 chars.
void launch_key_kernel(const Fips46Tables* tables, const char* base_keys, char* round_keys);

/// Section IV-B: num_blocks blocks of 64 threads; one of triple DES's three passes, in place. round_keys: one base key's 16
/// * 48 chars.
void launch_cipher_kernel(const Fips46Tables* tables, const char* round_keys, Mode mode, char* text, unsigned num_blocks);

/// What the driver says of the cipher kernel here: registers a thread, and how many blocks fit on a multiprocessor.
struct CipherKernelLimits {
  int registers_per_thread;
  int shared_bytes_per_block;
  int blocks_per_multiprocessor;
  int warps_per_multiprocessor;          ///< of those blocks: the "theoretical" warps of section V
  int highest_warps_per_multiprocessor;  ///< that the GPU can hold
};
CipherKernelLimits cipher_kernel_limits();

}  // namespace papers::altinok2020
