// Serpent, one to eight blocks together, in words of half the size with the three-input lookups of AVX-512, for which the
// processor has more ports. For streams of one message and for ranges too short to fill serpent_keyed_core.hpp.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/serpent/serpent_rounds.hpp"

namespace phalanx {
namespace {

/// The core (engine/ciphers/block_core.hpp). A Word has half the size of a Vector.
template <class Word, class VectorOfBlocks, class KeySchedule>
struct SerpentFewBlocks {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = blocks_in_word<Word>;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  using Vector = VectorOfBlocks;
  using Schedule = KeySchedule;

  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    Word x[1][4];
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector v = load(i);
      x[0][2 * i] = Word::low_half(v);
      x[0][2 * i + 1] = Word::high_half(v);
    }
    transpose_dwords(x[0]);
    SerpentRounds<Word, 1>::template crypt<direction>(SerpentSharedKey{schedule}, x);
    transpose_dwords(x[0]);
    for (std::size_t i = 0; i < 2; ++i) store(i, join_halves(x[0][2 * i], x[0][2 * i + 1]));
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    Word x[1][4];
    for (std::size_t i = 0; i < 4; ++i) x[0][i] = Word::broadcast32(load_u32(in + 4 * i));
    SerpentRounds<Word, 1>::template crypt<direction>(SerpentSharedKey{schedule}, x);
    first128(unpack_low64(unpack_low32(x[0][0], x[0][1]), unpack_low32(x[0][2], x[0][3]))).store(out);
  }
};

}  // namespace
}  // namespace phalanx
