// The key schedule of DES (FIPS 46-3), and of double and triple DES (SP 800-67), as the sliced and the serial cores use it.
//
// Sliced cores have round keys in one of two forms. Plain: E(R) ^ K costs 48 operations a round and L ^ f another 32.
// Folded: every bit of R is kept XORed with the key bit of one of its uses, so only the 16 bits that E uses twice are XORed
// again, and the key of a bit's next use goes into L ^ f as a third operand: 48 operations. That pays where a word has
// three-input lookups.
#pragma once

#include "engine/ciphers/des/des_tables.hpp"
#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/spread_bits.hpp"

namespace phalanx {
namespace {

inline constexpr std::size_t max_des_passes = 3;

/// Where bit i (from 1) of a half lies, from the pointer to that half.
constexpr std::size_t plane_of(std::size_t i) { return IP[i - 1] - std::size_t{2}; }

enum class KeyForm { plain, folded };

/// One expanded key: 16 round keys for each pass, in the order in which encryption uses them. Decryption is the same rounds
/// backwards, for one, two and three passes alike, and in either form.
struct alignas(64) DesSchedule {
  std::uint64_t key[max_des_passes];             ///< as given, big-endian
  std::size_t num_passes;                        ///< 1, 2 or 3
  std::uint64_t round_key[16 * max_des_passes];  ///< 48 bits each: six for each S-box in a byte, S1 in the lowest
  /// For des_shuffled.hpp, else unused: the key of each S-box four times in an element, its bits as that has them.
  std::uint32_t box_key[16 * max_des_passes][8];
  std::uint64_t bit[16 * max_des_passes][48];  ///< each bit of each round key, in the core's form, spread over 64 lanes
  /// Folded: what R is XORed with before each pass (the key bits that the pass expects in it, and those that the pass before
  /// left there) and after the last; bit m belongs to the m-th even plane.
  std::uint64_t edge[max_des_passes + 1][32];
};

/// Two-key and three-key triple DES decrypt in their second pass (SP 800-67 section 3.1), double DES never does.
PHALANX_INLINE bool pass_decrypts(std::size_t num_passes, std::size_t pass) { return num_passes == 3 && pass == 1; }

/// Which of the 16 round keys of the pass's key the given round of that pass uses when encrypting.
PHALANX_INLINE std::size_t key_round(std::size_t num_passes, std::size_t pass, std::size_t round) {
  return pass_decrypts(num_passes, pass) ? 15 - round : round;
}

/// Where bit i (from 0) of a round key stands in a number as DesSchedule::round_key has it.
constexpr unsigned place_in_round_key(std::size_t i) { return static_cast<unsigned>(8 * (i / 6) + 5 - i % 6); }

/// The 24 bits that PC2 takes from C (part 0, for S1 to S4) or D (part 1) in each round, where they stand in half a round
/// key.
template <unsigned part>
inline void select_half_round_keys(std::uint64_t key, std::uint32_t* half_key) {
  std::uint32_t half = 0;  // C or D, bit 1 (of 28) on top
  for (unsigned i = 0; i < 28; ++i) half |= static_cast<std::uint32_t>(key >> (64 - PC1[28 * part + i]) & 1) << (27 - i);
  std::uint32_t turned[16];
  for (std::size_t round = 0; round < 16; ++round) {
    half = (half << shifts[round] | half >> (28 - shifts[round])) & 0xfffffff;
    turned[round] = half;
  }
  for (std::size_t round = 0; round < 16; ++round) {  // compilers make vectors of rounds, if the other loop is unrolled
    std::uint32_t picked = 0;
#pragma GCC unroll 24
    for (unsigned i = 0; i < 24; ++i) {
      const std::uint32_t from = std::uint32_t{1} << (28 * (part + 1) - PC2[24 * part + i]);
      const std::uint32_t all = 0 - static_cast<std::uint32_t>((turned[round] & from) != 0);
      picked |= all & std::uint32_t{1} << place_in_round_key(i);
    }
    half_key[round] = picked;
  }
}

/// The 16 round keys in order.
inline void select_round_keys(std::uint64_t key, std::uint64_t* round_key) {
  std::uint32_t low[16];
  std::uint32_t high[16];
  select_half_round_keys<0>(key, low);
  select_half_round_keys<1>(key, high);
  for (std::size_t round = 0; round < 16; ++round) round_key[round] = low[round] | std::uint64_t{high[round]} << 32;
}

/// Inputs 3 to 6 of each S-box take all 32 bits of R once: those uses are folded into R. Inputs 1 and 2 are the second uses,
/// of the bits that are inputs 5 and 6 of the box before.
inline constexpr std::uint64_t folded_uses = 0x0f0f0f0f0f0f0f0f;

/// Which bit (from 0) of a round key is the folded one of bit i (from 1) of R.
constexpr std::size_t folded_use_of(std::size_t i) {
  std::size_t use = 0;
  for (std::size_t k = 0; k < 48; ++k) use = E[k] == i && k % 6 >= 2 ? k : use;
  return use;
}

/// Single bits, where those of a round key stand.
struct RoundKeyMasks {
  std::uint64_t bit[48];
  std::uint64_t even_plane[32];  ///< the folded ones, in the order of R's planes
};

constexpr RoundKeyMasks make_round_key_masks() {
  RoundKeyMasks masks{};
  for (std::size_t i = 0; i < 48; ++i) masks.bit[i] = std::uint64_t{1} << place_in_round_key(i);
  for (std::size_t i = 1; i <= 32; ++i) masks.even_plane[plane_of(i) / 2] = masks.bit[folded_use_of(i)];
  return masks;
}

inline constexpr RoundKeyMasks round_key_masks = make_round_key_masks();

/// The key of a second use, and what the first left in R.
PHALANX_INLINE std::uint64_t second_uses(std::uint64_t round_key) {
  const std::uint64_t box_before = round_key << 8 | round_key >> 56;
  return (round_key ^ box_before << 4) & ~folded_uses & 0x3f3f3f3f3f3f3f3f;
}

/// A pass's 16 keys, folded. In round r the half that is L still holds the key of round r - 1, and gets that of round r + 1.
inline void fold_round_keys(const std::uint64_t* round_key, std::uint64_t* folded) {
  for (std::size_t round = 0; round < 16; ++round) {
    const std::uint64_t before = round == 0 ? 0 : round_key[round - 1];
    const std::uint64_t after = round == 15 ? 0 : round_key[round + 1];
    folded[round] = second_uses(round_key[round]) | ((before ^ after) & folded_uses);
  }
}

/// Expands 8 (DES), 16 (double DES, or two-key triple DES: the caller repeats K1) or 24 bytes.
template <KeyForm form>
void expand_des_key(const std::uint8_t* key, std::size_t key_bytes, DesSchedule& schedule) {
  schedule.num_passes = key_bytes / 8;
  std::uint64_t in_r = 0;  // of the pass before
  for (std::size_t pass = 0; pass < schedule.num_passes; ++pass) {
    schedule.key[pass] = reverse_bytes(load_u64(key + 8 * pass));
    std::uint64_t selected[16];
    select_round_keys(schedule.key[pass], selected);
    std::uint64_t* round_key = schedule.round_key + 16 * pass;
    for (std::size_t round = 0; round < 16; ++round)
      round_key[round] = selected[key_round(schedule.num_passes, pass, round)];
    if constexpr (form == KeyForm::folded) {
      spread_bits(in_r ^ round_key[0], round_key_masks.even_plane, schedule.edge[pass]);
      spread_bits(round_key[15], round_key_masks.even_plane, schedule.edge[pass + 1]);
      in_r = round_key[15];
      fold_round_keys(round_key, selected);
      round_key = selected;
    }
    for (std::size_t round = 0; round < 16; ++round) {
      spread_bits(round_key[round], round_key_masks.bit, schedule.bit[16 * pass + round]);
    }
  }
}

}  // namespace
}  // namespace phalanx
