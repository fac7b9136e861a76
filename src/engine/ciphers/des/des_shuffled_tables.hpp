// DES with the input of each S-box in a byte of its own: what des_shuffled.hpp looks up.
//
// A half is kept as E expands it, in the eight bytes that enter the boxes. So f is a look-up of each byte, which gives the
// bits that the box's four output bits become, at once in the places that they have in the next round's bytes: P and E are
// what is left of a round, and move whole bytes. Each output bit enters one box or two, each box takes its six inputs from
// six others, and so there are places in the bytes such that the six bits that come from one box never share one: a
// bipartite graph in which every vertex has six edges has a colouring of its edges by six colours (Koenig 1916).
#pragma once

#include "engine/ciphers/des/des_s_boxes.hpp"
#include "engine/ciphers/des/des_tables.hpp"

namespace phalanx {
namespace {

inline constexpr unsigned num_des_boxes = 8;
inline constexpr unsigned num_des_inputs = 6;

/// The bit of its byte in which input i (a1 to a6) of each box stands.
inline constexpr std::uint8_t des_input_bit[num_des_boxes][num_des_inputs] = {
    {5, 4, 3, 2, 1, 0}, {5, 4, 3, 2, 1, 0}, {5, 4, 3, 2, 1, 0}, {4, 5, 3, 2, 0, 1},
    {5, 3, 4, 0, 2, 1}, {5, 3, 0, 2, 1, 4}, {4, 0, 1, 5, 2, 3}, {1, 4, 2, 5, 3, 0},
};

/// Which output bit (0 to 31, four for each box) comes to input i of a box in the next round: E after P.
constexpr unsigned des_output_of_input(unsigned box, unsigned i) { return P[E[num_des_inputs * box + i] - 1] - 1U; }

/// sources.box[b][bit]: the box from whose byte that bit of box b's comes.
struct DesSources {
  std::uint8_t box[num_des_boxes][num_des_inputs];
};

constexpr DesSources make_des_sources() {
  DesSources sources{};
  for (unsigned box = 0; box < num_des_boxes; ++box) {
    for (unsigned i = 0; i < num_des_inputs; ++i) {
      sources.box[box][des_input_bit[box][i]] = static_cast<std::uint8_t>(des_output_of_input(box, i) / 4);
    }
  }
  return sources;
}

inline constexpr DesSources des_sources = make_des_sources();

constexpr bool bits_never_meet() {
  for (unsigned bit = 0; bit < num_des_inputs; ++bit) {
    unsigned boxes = 0;
    for (const auto& source : des_sources.box) boxes |= 1U << source[bit];
    if (boxes != 0xff) return false;
  }
  return true;
}
static_assert(bits_never_meet());

/// What each box looks up for each value of its byte.
struct DesByteTables {
  std::uint8_t of[num_des_boxes][64];
};

/// The byte's inputs as FIPS 46-3 writes them, a1 the most significant of six bits.
constexpr unsigned des_inputs_in_order(unsigned box, unsigned byte) {
  unsigned inputs = 0;
  for (unsigned i = 0; i < num_des_inputs; ++i) inputs |= (byte >> des_input_bit[box][i] & 1) << (5 - i);
  return inputs;
}

/// The S-boxes: every output bit where it is an input of the next round.
constexpr DesByteTables make_des_substitution() {
  DesByteTables tables{};
  for (unsigned box = 0; box < num_des_boxes; ++box) {
    for (unsigned i = 0; i < num_des_inputs; ++i) {
      const unsigned output = des_output_of_input(box, i);
      for (unsigned byte = 0; byte < 64; ++byte) {
        const unsigned of_four = des_s_box(output / 4, des_inputs_in_order(output / 4, byte));
        const unsigned bit = of_four >> (3 - output % 4) & 1;
        tables.of[output / 4][byte] |= static_cast<std::uint8_t>(bit << des_input_bit[box][i]);
      }
    }
  }
  return tables;
}

/// From the inputs in order to their places.
constexpr DesByteTables make_des_placing() {
  DesByteTables tables{};
  for (unsigned box = 0; box < num_des_boxes; ++box) {
    for (unsigned byte = 0; byte < 64; ++byte) {
      tables.of[box][des_inputs_in_order(box, byte)] = static_cast<std::uint8_t>(byte);
    }
  }
  return tables;
}

/// From their places to a2 to a5 in order: the four bits of the half that are this box's alone.
constexpr DesByteTables make_des_gathering() {
  DesByteTables tables{};
  for (unsigned box = 0; box < num_des_boxes; ++box) {
    for (unsigned byte = 0; byte < 64; ++byte) {
      tables.of[box][byte] = static_cast<std::uint8_t>(des_inputs_in_order(box, byte) >> 1 & 15);
    }
  }
  return tables;
}

alignas(64) inline constexpr DesByteTables des_substitution = make_des_substitution();
alignas(64) inline constexpr DesByteTables des_placing = make_des_placing();
alignas(64) inline constexpr DesByteTables des_gathering = make_des_gathering();

/// How the words of an instruction set look up and move bytes: des_shuffles_avx2.hpp, des_shuffles_avx512.hpp.
template <class W>
struct DesLookUps;

/// The bits of a round key, eight bytes with a1 of each as bit 5, that go so many places to the left (or right, below zero)
/// in their bytes.
struct DesKeyMoves {
  static constexpr int farthest = 5;
  std::uint64_t bits[2 * farthest + 1];
};

constexpr DesKeyMoves make_des_key_moves() {
  DesKeyMoves moves{};
  for (unsigned box = 0; box < num_des_boxes; ++box) {
    for (unsigned i = 0; i < num_des_inputs; ++i) {
      const unsigned from = 5 - i;
      moves.bits[DesKeyMoves::farthest + des_input_bit[box][i] - static_cast<int>(from)] |= std::uint64_t{1}
                                                                                            << (8 * box + from);
    }
  }
  return moves;
}

inline constexpr DesKeyMoves des_key_moves = make_des_key_moves();

/// The round key's bits in their places.
PHALANX_INLINE std::uint64_t place_round_key(std::uint64_t round_key) {
  std::uint64_t placed = 0;
#pragma GCC unroll 11
  for (int left = -DesKeyMoves::farthest; left <= DesKeyMoves::farthest; ++left) {
    const std::uint64_t moved = round_key & des_key_moves.bits[DesKeyMoves::farthest + left];
    placed |= left < 0 ? moved >> -left : moved << left;
  }
  return placed;
}

}  // namespace
}  // namespace phalanx
