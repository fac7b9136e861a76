// GHASH of SP 800-38D, section 6.4, as a GPU's threads multiply, here on the host: any two elements by multiplications of
// integers, and any by a fixed one through tables, or through a binary matrix. Tables are taken as functions: what fills them is compared at every index,
// as each lane looks it up. All of it as polynomials, as ghash_claims.cpp has them.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/modes/device_batches/ghash_matrices.hpp"
#include "engine/modes/ghash_tables.hpp"
#include "lane_table_look_ups.hpp"
#include "outside_cores/ghash_specification.hpp"

namespace prove {
namespace {

using phalanx::GhashElement;
using phalanx::GhashTimes;
using Recorded32 = phalanx::std::uint32_t;

// Words as the element has them: the most significant bit of word 0 is the coefficient of x^0.
Signals polynomial_of(const GhashElement& element) {
  Signals polynomial;
  for (const Recorded32& word : element.word) {
    const Signals bits = word.bits();
    polynomial.insert(polynomial.end(), bits.rbegin(), bits.rend());
  }
  return polynomial;
}
// A block that nobody knows, as the element that it is.
struct UnknownElement {
  Recorded32 block[4];
  Signals polynomial = specified_element(unknown_memory(block, sizeof block));
  [[nodiscard]] GhashElement element() const { return phalanx::ghash_element(block); }
};

Recording multiply() {
  const UnknownElement a;
  const UnknownElement b;
  return {polynomial_of(ghash_multiply(a.element(), b.element())), specified_product(a.polynomial, b.polynomial)};
}

Recording square() {
  const UnknownElement a;
  return {polynomial_of(ghash_square(a.element())), specified_product(a.polynomial, a.polynomial)};
}

// Word `table` of v(x) times an element, v's most significant of digit_bits bits being x^0: the entry that a table has.
template <unsigned digit_bits>
Signals specified_entry(unsigned table, const Signals& v, Signals element) {
  Signals word(32, zero);
  for (unsigned k = 0; k < digit_bits; ++k, element = specified_times_x(element)) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const Literal term = graph().and_of(v[digit_bits - 1 - k], element[32 * table + 31 - bit]);
      word[bit] = graph().xor_of(word[bit], term);
    }
  }
  return word;
}
template <unsigned digit_bits>
struct TableFunctions {
  const Signals* element;
  template <unsigned table, unsigned byte>
  [[nodiscard]] Recorded32 look_up(const Recorded32& digits) const {
    const Signals bits = digits.bits();
    for (unsigned bit = digit_bits; bit < 8; ++bit) {
      if (bits[8 * byte + bit] != zero) throw std::logic_error("an index has more bits than a digit");
    }
    return Recorded32::of(specified_entry<digit_bits>(table, part(bits, 8 * byte, 8), *element));
  }
};
template <unsigned digit_bits>
Recording times() {
  const UnknownElement fixed;
  const UnknownElement x;
  const GhashTimes<digit_bits, TableFunctions<digit_bits>> product{{&fixed.polynomial}};
  return {polynomial_of(product.of(x.element())), specified_product(x.polynomial, fixed.polynomial)};
}

// As a kernel fills its shared memory.
template <unsigned digit_bits>
Recording tables() {
  using Tables = phalanx::LaneTablesOf<1U << digit_bits>;
  using Times = GhashTimes<digit_bits, Tables>;
  const UnknownElement fixed;
  const typename Times::Multiples multiples(fixed.element());
  alignas(16) static std::uint8_t memory[Tables::bytes_of(4)];
  Tables::template fill<4>(memory, [&](unsigned v, Recorded32* words) { multiples.entry(v, words); });
  Recording recording;
  const auto check = [&]<unsigned table, unsigned byte>() {
    look_up_everywhere<table, byte, 1U << digit_bits>(
        [](unsigned lane) {
          return Tables{memory, 4 * lane};
        },
        [&](unsigned v) {
          Signals digit;
          for (unsigned bit = 0; bit < digit_bits; ++bit) digit.push_back(v >> bit & 1);
          return specified_entry<digit_bits>(table, digit, fixed.polynomial);
        },
        recording);
  };
  const auto check_bytes = [&]<unsigned table>() {
    check.template operator()<table, 0>();
    check.template operator()<table, 1>();
    check.template operator()<table, 2>();
    check.template operator()<table, 3>();
  };
  check_bytes.template operator()<0>();
  check_bytes.template operator()<1>();
  check_bytes.template operator()<2>();
  check_bytes.template operator()<3>();
  return recording;
}

// A row of a product of binary matrices, in the four lanes that have its words: the lowest bit of a count is the product over
// bits, and nothing is known of the seven others.
Recording matrices() {
  using phalanx::GhashMatrix;
  const UnknownElement fixed;
  const UnknownElement x;
  std::vector<GhashMatrix> lanes;
  for (unsigned lane = 0; lane < 32; ++lane) lanes.emplace_back(fixed.element(), lane);
  const auto count = [&](unsigned column, unsigned tile) {
    Signals bits(32, zero);
    for (unsigned i = 1; i < 8; ++i) bits[i] = graph().input();
    for (unsigned word = 0; word < 4; ++word) {
      const Signals of_column = lanes[4 * column + word].tile[tile].bits();
      const Signals of_row = x.block[word].bits();
      for (unsigned i = 0; i < 32; ++i) bits[0] = graph().xor_of(bits[0], graph().and_of(of_column[i], of_row[i]));
    }
    return Recorded32::of(bits);
  };
  Recorded32 words[4];
  for (unsigned lane = 0; lane < 4; ++lane) {
    words[lane] = phalanx::ghash_matrix_product([&](unsigned tile, Recorded32 counts[4]) {
                    for (unsigned i = 0; i < 4; ++i) counts[i] = count(2 * lane + i % 2, tile);
                  }).word[0];
  }
  return {polynomial_of(phalanx::ghash_element(words)), specified_product(x.polynomial, fixed.polynomial)};
}

}  // namespace

std::vector<Claim> gpu_ghash_claims() {
  std::vector<Claim> claims = {{"ghash.gpu.multiply", multiply},     {"ghash.gpu.square", square},
                               {"ghash.gpu.matrices", matrices},     {"ghash.gpu.8_bits.tables", tables<8>},
                               {"ghash.gpu.8_bits.times", times<8>}, {"ghash.gpu.4_bits.tables", tables<4>},
                               {"ghash.gpu.4_bits.times", times<4>}};
  for (Claim& claim : claims) claim.by_polynomials = true;
  return claims;
}

}  // namespace prove
