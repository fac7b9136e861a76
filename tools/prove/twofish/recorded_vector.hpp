// In place of engine/lanes/word_avx2.hpp, word_avx512.hpp and word_neon.hpp where Twofish is recorded: the operations that its vector
// cores use, over all of a register's bytes, from the instructions' definitions in the Intel SDM volume 2; those of NEON are the same
// in its 16 bytes, but for TBL (claims word.neon.*).
#pragma once

#include "recorded_std.hpp"
// Constants, of plain bytes: they come before bytes are recorded.
#include "engine/lanes/repeated_shuffle.hpp"
// From here on these are recorded too.
#include "twofish/recorded_twofish.hpp"

namespace prove {

/// Byte `index` of the table, which has 2^n bytes: the low n bits of the index choose.
inline Signals chosen_byte(const Signals& table, const Signals& index) {
  Signals chosen;
  for (std::size_t bit = 0; bit < 8; ++bit) {
    Signals row;
    for (std::size_t i = bit; i < table.size(); i += 8) row.push_back(table[i]);
    for (std::size_t level = 0; row.size() > 1; ++level) {
      Signals half;
      for (std::size_t i = 0; i < row.size(); i += 2) half.push_back(graph().choose(index[level], row[i + 1], row[i]));
      row = half;
    }
    chosen.push_back(row[0]);
  }
  return chosen;
}

}  // namespace prove

namespace phalanx {
namespace {

using ::prove::chosen_byte;
using ::prove::graph;
using ::prove::joined;
using ::prove::Literal;
using ::prove::part_of;
using ::prove::Signals;

/// A register of 16 (NeonWord), 32 (Word256) or 64 bytes (Word512).
template <::std::size_t num_bytes>
struct RecordedVector {
  static constexpr bool has_lut3 = num_bytes == 64;
  std::uint8_t byte[num_bytes];

  RecordedVector() = default;
  RecordedVector(const RecordedVector& other) { std::memcpy(byte, other.byte, num_bytes); }
  RecordedVector& operator=(const RecordedVector& other) {
    std::memcpy(byte, other.byte, num_bytes);
    return *this;
  }
  ~RecordedVector() = default;

  [[nodiscard]] Signals bits() const { return ::prove::read_memory(byte, num_bytes); }
  static RecordedVector of(const Signals& bits) {
    RecordedVector v;
    ::prove::write_memory(v.byte, bits);
    return v;
  }
  /// What an instruction computes, or on purpose not.
  static RecordedVector result(Signals bits) {
    if (::prove::goes_wrong(::prove::Fault::operation)) {
      for (Literal& bit : bits) bit = ::prove::not_of(bit);
    }
    return of(bits);
  }
  /// The signals of each element of so many bytes, by a function of its number.
  template <class Element>
  static RecordedVector by_elements(::std::size_t element_bytes, Element element) {
    Signals bits;
    for (::std::size_t i = 0; i < num_bytes / element_bytes; ++i) {
      const Signals part = element(i);
      bits.insert(bits.end(), part.begin(), part.end());
    }
    return result(bits);
  }
  template <class Gate>
  static RecordedVector by_bits(const RecordedVector& a, const RecordedVector& b, Gate gate) {
    return result(::prove::on_each_bit(a.bits(), b.bits(), gate));
  }

  static RecordedVector load(const void* p) {
    RecordedVector v;
    std::memcpy(v.byte, p, num_bytes);
    return v;
  }
  void store(void* p) const { std::memcpy(p, byte, num_bytes); }
  static RecordedVector zero() { return of(Signals(8 * num_bytes, ::prove::zero)); }
  static RecordedVector repeat(const Signals& element) {
    Signals bits;
    while (bits.size() < 8 * num_bytes) bits.insert(bits.end(), element.begin(), element.end());
    return of(bits);
  }
  static RecordedVector broadcast64(const std::uint64_t& x) { return repeat(x.bits()); }
  static RecordedVector broadcast32(const std::uint32_t& x) { return repeat(x.bits()); }
  static RecordedVector broadcast8(const std::uint8_t& x) { return repeat(x.bits()); }
  static RecordedVector broadcast128(const void* p) { return repeat(::prove::read_memory(p, 16)); }
  friend RecordedVector<16> first128(const RecordedVector& a) { return RecordedVector<16>::load(a.byte); }

  friend RecordedVector operator&(const RecordedVector& a, const RecordedVector& b) {
    return by_bits(a, b, [](Literal x, Literal y) { return graph().and_of(x, y); });
  }
  friend RecordedVector operator|(const RecordedVector& a, const RecordedVector& b) {
    return by_bits(a, b, [](Literal x, Literal y) { return graph().or_of(x, y); });
  }
  friend RecordedVector operator^(const RecordedVector& a, const RecordedVector& b) {
    return by_bits(a, b, [](Literal x, Literal y) { return graph().xor_of(x, y); });
  }
  friend RecordedVector and_not(const RecordedVector& a, const RecordedVector& b) {
    return by_bits(a, b, [](Literal x, Literal y) { return graph().and_of(x, ::prove::not_of(y)); });
  }

  /// VPADDD.
  friend RecordedVector add32(const RecordedVector& a, const RecordedVector& b) {
    const Signals x = a.bits();
    const Signals y = b.bits();
    return by_elements(
        4, [&](::std::size_t i) { return ::prove::add(part_of(x, 4 * i, 4), part_of(y, 4 * i, 4), ::prove::zero); });
  }
  /// The elements of 4 or 8 bytes of each 128-bit element in another order (VPSHUFD): element i is the order's i-th.
  static RecordedVector reorder(const RecordedVector& a, ::std::size_t element_bytes, const ::std::size_t (&order)[4]) {
    const Signals x = a.bits();
    const ::std::size_t in_128 = 16 / element_bytes;
    return by_elements(element_bytes, [&](::std::size_t i) {
      return part_of(x, element_bytes * (i / in_128 * in_128 + order[i % in_128]), element_bytes);
    });
  }
  friend RecordedVector swap32(const RecordedVector& a) { return reorder(a, 4, {1, 0, 3, 2}); }
  friend RecordedVector swap_halves(const RecordedVector& a) { return reorder(a, 8, {1, 0, 0, 0}); }
  /// VPERM2I128 of one register.
  friend RecordedVector swap128(const RecordedVector& a) {
    static_assert(num_bytes == 32);
    const Signals x = a.bits();
    return result(joined({part_of(x, 16, 16), part_of(x, 0, 16)}));
  }
  /// VPUNPCK*: in each 128-bit element, the elements of the low or high half of a and of b by turns.
  template <::std::size_t element_bytes, ::std::size_t from>
  static RecordedVector unpack(const RecordedVector& a, const RecordedVector& b) {
    const Signals x[2] = {a.bits(), b.bits()};
    return by_elements(element_bytes, [&](::std::size_t i) {
      const ::std::size_t in_128 = 16 / element_bytes;
      const ::std::size_t at = i / in_128 * 16 + from + i % in_128 / 2 * element_bytes;
      return part_of(x[i % 2], at, element_bytes);
    });
  }
  friend RecordedVector unpack_low32(const RecordedVector& a, const RecordedVector& b) { return unpack<4, 0>(a, b); }
  friend RecordedVector unpack_high32(const RecordedVector& a, const RecordedVector& b) { return unpack<4, 8>(a, b); }
  friend RecordedVector unpack_low64(const RecordedVector& a, const RecordedVector& b) { return unpack<8, 0>(a, b); }
  friend RecordedVector unpack_high64(const RecordedVector& a, const RecordedVector& b) { return unpack<8, 8>(a, b); }

  /// VPROLVD, or VPSLLVD and VPSRLVD, by known counts.
  friend RecordedVector rotate_left_each32(const RecordedVector& a, const RecordedVector& counts) {
    const Signals x = a.bits();
    const unsigned wrong = ::prove::goes_wrong(::prove::Fault::shift) ? 1 : 0;
    return by_elements(4, [&](::std::size_t i) {
      const unsigned count = load_u32(counts.byte + 4 * i).known();
      return ::prove::rotated_left(part_of(x, 4 * i, 4), (count + wrong) % 32);
    });
  }
  template <class Shifted>
  static RecordedVector shift32(const RecordedVector& a, unsigned count, Shifted shifted) {
    const Signals x = a.bits();
    const unsigned wrong = ::prove::goes_wrong(::prove::Fault::shift) ? 1 : 0;
    return by_elements(4, [&](::std::size_t i) { return shifted(part_of(x, 4 * i, 4), count + wrong); });
  }

  /// VPSHUFB: byte i of each 128-bit element becomes byte (index i mod 16) of it, or 0 where the index has bit 7. TBL of NEON:
  /// 0 where it is 16 or more.
  friend RecordedVector shuffle_bytes(const RecordedVector& v, const RecordedVector& index) {
    const Signals x = v.bits();
    const Signals at = index.bits();
    return by_elements(1, [&](::std::size_t i) {
      const Signals chooser = part_of(at, i, 1);
      Signals chosen = chosen_byte(part_of(x, i / 16 * 16, 16), chooser);
      for (::std::size_t high = num_bytes == 16 ? 4 : 7; high < 8; ++high) {
        for (Literal& bit : chosen) bit = graph().and_of(bit, ::prove::not_of(chooser[high]));
      }
      return chosen;
    });
  }
  /// VPERMB: byte i becomes byte (index i mod 64).
  friend RecordedVector permute_bytes(const RecordedVector& table, const RecordedVector& index) {
    static_assert(num_bytes == 64);
    const Signals x = table.bits();
    const Signals at = index.bits();
    return by_elements(1, [&](::std::size_t i) { return chosen_byte(x, part_of(at, i, 1)); });
  }
  /// Byte i of b where the mask has bit i, else of a (a mask register).
  friend RecordedVector blend_bytes(const std::uint64_t& mask, const RecordedVector& a, const RecordedVector& b) {
    const Signals which = mask.bits();
    const Signals x = a.bits();
    const Signals y = b.bits();
    return by_elements(1, [&](::std::size_t i) {
      Signals chosen;
      for (::std::size_t bit = 8 * i; bit < 8 * i + 8; ++bit) chosen.push_back(graph().choose(which[i], y[bit], x[bit]));
      return chosen;
    });
  }
  friend RecordedVector shuffle_bytes_where(const std::uint64_t& mask, const RecordedVector& v, const RecordedVector& index,
                                            const RecordedVector& otherwise) {
    return blend_bytes(mask, otherwise, shuffle_bytes(v, index));
  }
  friend RecordedVector permute_bytes_where(const std::uint64_t& mask, const RecordedVector& table,
                                            const RecordedVector& index, const RecordedVector& otherwise) {
    return blend_bytes(mask, otherwise, permute_bytes(table, index));
  }
  static Signals top_bits(const RecordedVector& a) {
    const Signals x = a.bits();
    Signals bits;
    for (::std::size_t i = 0; i < num_bytes; ++i) bits.push_back(x[8 * i + 7]);
    return bits;
  }
  /// VPMOVB2M.
  friend std::uint64_t top_bits_of_bytes(const RecordedVector& a) {
    static_assert(num_bytes == 64);
    return std::uint64_t::of(top_bits(a));
  }
  /// VPBLENDVB: byte i of `yes` where the top bit of byte i of `which` is set, else of `no`.
  friend RecordedVector choose_by_top_bits(const RecordedVector& which, const RecordedVector& yes,
                                           const RecordedVector& no) {
    Signals mask = top_bits(which);
    mask.resize(64, ::prove::zero);
    return blend_bytes(std::uint64_t::of(mask), no, yes);
  }
  /// VPSUBSB: of signed bytes, -128 at least and 127 at most.
  friend RecordedVector subtract_saturated8(const RecordedVector& a, const RecordedVector& b) {
    const Signals x = a.bits();
    const Signals y = b.bits();
    return by_elements(1, [&](::std::size_t i) {
      Signals left = part_of(x, i, 1);
      Signals right = part_of(y, i, 1);
      left.push_back(left[7]);  // nine bits, of which no difference leaves any
      right.push_back(right[7]);
      for (Literal& bit : right) bit = ::prove::not_of(bit);
      Signals difference = ::prove::add(left, right, ::prove::one);
      const Literal negative = difference[8];
      const Literal too_far = graph().xor_of(negative, difference[7]);
      difference.pop_back();
      for (Literal& bit : difference) bit = graph().choose(too_far, ::prove::not_of(negative), bit);
      difference[7] = negative;
      return difference;
    });
  }
  friend RecordedVector apart(const RecordedVector& v) { return v; }
  /// GF2P8AFFINEQB: bit i of a byte becomes the parity of the byte and byte 7 - i of its 64-bit element of the matrix.
  friend RecordedVector affine(const RecordedVector& v, const RecordedVector& matrix) {
    const Signals x = v.bits();
    const Signals rows = matrix.bits();
    return by_elements(1, [&](::std::size_t i) {
      Signals image;
      for (::std::size_t bit = 0; bit < 8; ++bit) {
        const Signals row = part_of(rows, i / 8 * 8 + 7 - bit, 1);
        Literal parity = ::prove::zero;
        for (::std::size_t k = 0; k < 8; ++k) parity = graph().xor_of(parity, graph().and_of(row[k], x[8 * i + k]));
        image.push_back(parity);
      }
      return image;
    });
  }
};

using NeonWord = RecordedVector<16>;
using Word256 = RecordedVector<32>;
using Word512 = RecordedVector<64>;

template <::std::uint8_t table, ::std::size_t num_bytes>
RecordedVector<num_bytes> lut3(const RecordedVector<num_bytes>& a, const RecordedVector<num_bytes>& b,
                               const RecordedVector<num_bytes>& c) {
  if constexpr (num_bytes <= 32) {
    return lut3_two_input<table>(a, b, c);
  } else {
    const Signals third = c.bits();
    ::std::size_t i = 0;
    return RecordedVector<num_bytes>::by_bits(
        a, b, [&](Literal x, Literal y) { return ::prove::look_up(table, x, y, third[i++]); });
  }
}
template <int count, ::std::size_t num_bytes>
RecordedVector<num_bytes> rotate_left32(const RecordedVector<num_bytes>& a) {
  return RecordedVector<num_bytes>::shift32(a, count,
                                            [](const Signals& x, unsigned by) { return ::prove::rotated_left(x, by % 32); });
}
template <int count, ::std::size_t num_bytes>
RecordedVector<num_bytes> shift_left32(const RecordedVector<num_bytes>& a) {
  return RecordedVector<num_bytes>::shift32(
      a, count, [](const Signals& x, unsigned by) { return ::prove::shift_by_constant(x, by, true, ::prove::zero); });
}
template <int count, ::std::size_t num_bytes>
RecordedVector<num_bytes> shift_right32(const RecordedVector<num_bytes>& a) {
  return RecordedVector<num_bytes>::shift32(
      a, count, [](const Signals& x, unsigned by) { return ::prove::shift_by_constant(x, by, false, ::prove::zero); });
}
/// This is the definition of a look-up. The claim word.neon.table_look_ups proves that TBL and TBX of NEON do so.
template <::std::size_t num_vectors>
void look_up_bytes(const std::uint8_t table[256], NeonWord (&v)[num_vectors]) {
  const Signals entries = ::prove::read_memory(table, 256);
  for (NeonWord& vector : v) {
    const Signals x = vector.bits();
    vector = NeonWord::by_elements(1, [&](::std::size_t i) { return chosen_byte(entries, part_of(x, i, 1)); });
  }
}
/// VPBLENDD: the 32-bit elements of b where the mask has a bit, else of a.
template <int mask>
Word256 blend32(const Word256& a, const Word256& b) {
  const Signals x = a.bits();
  const Signals y = b.bits();
  return Word256::by_elements(4, [&](::std::size_t i) { return part_of((mask >> i & 1) != 0 ? y : x, 4 * i, 4); });
}

// engine/bytes/byte_order.hpp leaves these vectors of the compiler's out.
struct Pair64 {
  std::uint64_t half[2];
  friend Pair64 operator^(const Pair64& a, const Pair64& b) { return {{a.half[0] ^ b.half[0], a.half[1] ^ b.half[1]}}; }
};
inline Pair64 load_pair(const void* p) { return {{load_u64(p), load_u64(static_cast<const ::std::uint8_t*>(p) + 8)}}; }
inline void store_pair(void* p, const Pair64& x) {
  store_u64(p, x.half[0]);
  store_u64(static_cast<::std::uint8_t*>(p) + 8, x.half[1]);
}

}  // namespace
}  // namespace phalanx
