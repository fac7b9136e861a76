// Registers of signals, and what instructions do with them: the definitions that recorded_instructions.hpp gives their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "recorded_integer.hpp"

namespace prove {

template <std::size_t num_bytes>
struct Register {
  std::uint8_t byte[num_bytes];

  Register() = default;
  Register(const Register& other) { copy_memory(byte, other.byte, num_bytes); }
  Register& operator=(const Register& other) {
    copy_memory(byte, other.byte, num_bytes);
    return *this;
  }
  ~Register() { forget_memory(byte, num_bytes); }

  [[nodiscard]] Signals bits() const { return read_memory(byte, num_bytes); }
  static Register of(Signals bits) {
    if (goes_wrong(Fault::operation)) {
      for (Literal& bit : bits) bit = not_of(bit);
    }
    Register r;
    write_memory(r.byte, bits);
    return r;
  }
  static Register load(const void* p) {
    Register r;
    copy_memory(r.byte, p, num_bytes);
    return r;
  }
};

/// Elements of so many bits: element i of the result is function(i).
template <std::size_t num_bytes, std::size_t element_bits, class Function>
Register<num_bytes> of_elements(Function function) {
  Signals bits;
  for (std::size_t i = 0; i < 8 * num_bytes / element_bits; ++i) append(bits, function(i));
  return Register<num_bytes>::of(bits);
}
template <std::size_t element_bits, std::size_t num_bytes>
Signals element(const Register<num_bytes>& a, std::size_t i) {
  return read_memory(a.byte + i * element_bits / 8, element_bits / 8);
}
inline Signals signals_of(std::uint64_t number, std::size_t num_bits) {
  Signals bits(num_bits, zero);
  for (std::size_t i = 0; i < num_bits; ++i) bits[i] = i < 64 ? number >> i & 1 : zero;
  return bits;
}
/// A number that stands for unknown bits, or is what it is.
inline Signals signals_of(int number) {
  const Signals unknown = stood_for(number);
  return unknown.empty() ? signals_of(static_cast<std::uint64_t>(number), 32) : unknown;
}
inline Signals signals_of(long long number) {
  const Signals unknown = stood_for(number);
  return unknown.empty() ? signals_of(static_cast<std::uint64_t>(number), 64) : unknown;
}

template <std::size_t num_bytes, class Gate>
Register<num_bytes> bitwise(const Register<num_bytes>& a, const Register<num_bytes>& b, Gate gate) {
  return Register<num_bytes>::of(on_each_bit(a.bits(), b.bits(), gate));
}
template <std::size_t num_bytes>
Register<num_bytes> xor_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().xor_of(x, y); });
}
template <std::size_t num_bytes>
Register<num_bytes> and_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().and_of(x, y); });
}
template <std::size_t num_bytes>
Register<num_bytes> or_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().or_of(x, y); });
}
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> add_elements(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return of_elements<num_bytes, element_bits>(
      [&](std::size_t i) { return add(element<element_bits>(a, i), element<element_bits>(b, i), zero); });
}
/// Shifts of elements by one count; a count that is too large leaves nothing.
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> shift_elements(const Register<num_bytes>& a, unsigned count, bool left) {
  const unsigned by = count + (goes_wrong(Fault::shift) ? 1 : 0);
  return of_elements<num_bytes, element_bits>(
      [&](std::size_t i) { return shift_by_constant(element<element_bits>(a, i), by, left, zero); });
}
/// PSHUFD in each 128-bit element.
template <std::size_t num_bytes>
Register<num_bytes> shuffle32(const Register<num_bytes>& a, unsigned order) {
  return of_elements<num_bytes, 32>([&](std::size_t i) { return element<32>(a, i / 4 * 4 + (order >> 2 * (i % 4) & 3)); });
}
/// Entry `index` of a row of signals, of which there are as many as indices.
inline Literal chosen(Signals row, const Signals& index) {
  for (const Literal bit : index) {  // the lowest bit chooses between neighbours
    Signals half;
    for (std::size_t k = 0; k < row.size(); k += 2) half.push_back(graph().choose(bit, row[k + 1], row[k]));
    row = half;
  }
  return row[0];
}
/// PSHUFB: unknown indices choose among the 16 bytes.
template <std::size_t num_bytes>
Register<num_bytes> shuffle8(const Register<num_bytes>& a, const Register<num_bytes>& index) {
  return of_elements<num_bytes, 8>([&](std::size_t i) {
    const Signals which = element<8>(index, i);
    Signals result;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      Signals row;
      for (std::size_t k = 0; k < 16; ++k) row.push_back(element<8>(a, i / 16 * 16 + k)[bit]);
      result.push_back(graph().and_of(not_of(which[7]), chosen(row, part(which, 0, 4))));
    }
    return result;
  });
}
/// VPERMB: the same of all 64 bytes; bits 6 and 7 of an index do not count.
inline Register<64> permute8(const Register<64>& a, const Register<64>& index) {
  return of_elements<64, 8>([&](std::size_t i) {
    const Signals which = part(element<8>(index, i), 0, 6);
    Signals result;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      Signals row;
      for (std::size_t k = 0; k < 64; ++k) row.push_back(element<8>(a, k)[bit]);
      result.push_back(chosen(row, which));
    }
    return result;
  });
}
/// VPERMD of eight elements: bits 0 to 2 of an index.
inline Register<32> permute32(const Register<32>& a, const Register<32>& index) {
  return of_elements<32, 32>([&](std::size_t i) {
    Signals result;
    for (std::size_t bit = 0; bit < 32; ++bit) {
      Signals row;
      for (std::size_t k = 0; k < 8; ++k) row.push_back(element<32>(a, k)[bit]);
      result.push_back(chosen(row, part(element<32>(index, i), 0, 3)));
    }
    return result;
  });
}
/// VPUNPCKL and VPUNPCKH: in each 128-bit element, the items of the low (high) half of a and of b by turns.
template <std::size_t item_bits, std::size_t num_bytes>
Register<num_bytes> unpack(const Register<num_bytes>& a, const Register<num_bytes>& b, bool high) {
  constexpr std::size_t in_half = 64 / item_bits;
  return of_elements<num_bytes, item_bits>([&](std::size_t i) {
    const std::size_t from = i / (2 * in_half) * (2 * in_half) + (high ? in_half : 0) + i % (2 * in_half) / 2;
    return element<item_bits>(i % 2 == 0 ? a : b, from);
  });
}
/// Element i of b where function(i) is one, else of a.
template <std::size_t element_bits, std::size_t num_bytes, class Function>
Register<num_bytes> blend(const Register<num_bytes>& a, const Register<num_bytes>& b, Function function) {
  return of_elements<num_bytes, element_bits>([&](std::size_t i) {
    Signals result = element<element_bits>(a, i);
    const Signals other = element<element_bits>(b, i);
    const Literal which = function(i);
    for (std::size_t bit = 0; bit < element_bits; ++bit) result[bit] = graph().choose(which, other[bit], result[bit]);
    return result;
  });
}
/// Shifts of elements by unknown counts each; a count that is too large leaves nothing (VPSLLV, VPSRLV).
inline Signals shifted_by(const Signals& a, const Signals& count, bool left) {
  std::size_t num_bits = 0;
  while ((std::size_t{1} << num_bits) < a.size()) ++num_bits;
  Literal too_large = zero;
  for (std::size_t i = num_bits; i < count.size(); ++i) too_large = graph().or_of(too_large, count[i]);
  Signals result = shift_by_signals(a, part(count, 0, num_bits), left, zero);
  for (Literal& bit : result) bit = graph().and_of(not_of(too_large), bit);
  return result;
}
/// Rotations of 32-bit elements to the left (VPROLD, VPROLVD): counts modulo 32.
inline Signals rotated_by(const Signals& a, const Signals& count) {
  Signals result = a;
  for (std::size_t level = 0; level < 5; ++level) {
    const Signals before = result;
    for (std::size_t i = 0; i < 32; ++i) {
      result[i] = graph().choose(count[level], before[(i + 32 - (std::size_t{1} << level)) % 32], before[i]);
    }
  }
  return result;
}
/// VPMOVZXBQ.
template <std::size_t num_bytes>
Register<num_bytes> widen8_to_64(const Register<16>& a) {
  return of_elements<num_bytes, 64>([&](std::size_t i) {
    Signals result = element<8>(a, i);
    result.resize(64, zero);
    return result;
  });
}
/// GF2P8AFFINEQB: bit i of a byte becomes the parity of the byte and byte 7 - i of its 64-bit element of the matrix.
template <std::size_t num_bytes>
Register<num_bytes> affine_bytes(const Register<num_bytes>& a, const Register<num_bytes>& matrix) {
  return of_elements<num_bytes, 8>([&](std::size_t i) {
    const Signals x = element<8>(a, i);
    Signals y;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      const Signals row = element<8>(matrix, i / 8 * 8 + 7 - bit);
      Literal parity = zero;
      for (std::size_t k = 0; k < 8; ++k) parity = graph().xor_of(parity, graph().and_of(row[k], x[k]));
      y.push_back(parity);
    }
    return y;
  });
}
/// VPTERNLOG.
template <std::size_t num_bytes>
Register<num_bytes> look_up_bits(const Register<num_bytes>& a, const Register<num_bytes>& b, const Register<num_bytes>& c,
                                 int table) {
  const Signals x = a.bits();
  const Signals y = b.bits();
  const Signals z = c.bits();
  Signals r;
  for (std::size_t i = 0; i < x.size(); ++i) r.push_back(look_up(static_cast<std::uint8_t>(table), x[i], y[i], z[i]));
  return Register<num_bytes>::of(r);
}
/// a & ~b
template <std::size_t num_bytes>
Register<num_bytes> and_not_registers(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return bitwise(a, b, [](Literal x, Literal y) { return graph().and_of(x, not_of(y)); });
}
/// a > b of signed numbers (VPCMPGTQ): the sign of b - a, a bit wider.
inline Literal is_greater(Signals a, Signals b) {
  a.push_back(a.back());
  b.push_back(b.back());
  for (Literal& bit : a) bit = not_of(bit);
  return add(b, a, one).back();
}
/// PSUBSB: the difference of signed bytes, -128 at least and 127 at most.
inline Signals subtracted_saturated8(Signals a, Signals b) {
  a.push_back(a[7]);
  b.push_back(b[7]);
  for (Literal& bit : b) bit = not_of(bit);
  const Signals difference = add(a, b, one);
  const Literal overflows = graph().xor_of(difference[8], difference[7]);
  Signals result;
  for (std::size_t i = 0; i < 8; ++i) {
    const Literal farthest = i == 7 ? difference[8] : not_of(difference[8]);
    result.push_back(graph().choose(overflows, farthest, difference[i]));
  }
  return result;
}
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> subtract_elements(const Register<num_bytes>& a, const Register<num_bytes>& b) {
  return of_elements<num_bytes, element_bits>([&](std::size_t i) {
    Signals y = element<element_bits>(b, i);
    for (Literal& bit : y) bit = not_of(bit);
    return add(element<element_bits>(a, i), y, one);
  });
}
/// Every element by a count of its own.
template <std::size_t element_bits, std::size_t num_bytes>
Register<num_bytes> shift_each(const Register<num_bytes>& a, const Register<num_bytes>& counts, bool left) {
  return of_elements<num_bytes, element_bits>(
      [&](std::size_t i) { return shifted_by(element<element_bits>(a, i), element<element_bits>(counts, i), left); });
}
/// VPERM2I128 and VSHUFI64X2: element i of 128 bits.
inline Signals element128_of(const Register<32>& a, const Register<32>& b, unsigned which) {
  return element<128>((which & 2) == 0 ? a : b, which & 1);
}

/// PCLMULQDQ in each 128-bit element: the sum of a_i b_j stands at i + j.
template <std::size_t num_bytes>
Register<num_bytes> carryless_product(const Register<num_bytes>& a, const Register<num_bytes>& b, int halves) {
  return of_elements<num_bytes, 128>([&](std::size_t i) {
    const Signals x = element<64>(a, 2 * i + (halves & 1));
    const Signals y = element<64>(b, 2 * i + (halves >> 4 & 1));
    Signals sum(128, zero);
    for (std::size_t j = 0; j < 64; ++j) {
      for (std::size_t k = 0; k < 64; ++k) sum[j + k] = graph().xor_of(sum[j + k], graph().and_of(x[j], y[k]));
    }
    return sum;
  });
}
/// PSLLDQ and PSRLDQ in each 128-bit element.
template <std::size_t num_bytes>
Register<num_bytes> shift_bytes(const Register<num_bytes>& a, int count, bool left) {
  return of_elements<num_bytes, 128>(
      [&](std::size_t i) { return shift_by_constant(element<128>(a, i), 8 * static_cast<unsigned>(count), left, zero); });
}
template <std::size_t to_bytes, std::size_t from_bytes>
Register<to_bytes> resized(const Register<from_bytes>& a) {
  Signals bits = a.bits();
  bits.resize(8 * to_bytes, zero);
  Register<to_bytes> r;
  write_memory(r.byte, bits);
  return r;
}
template <std::size_t num_bytes>
Register<num_bytes> repeated(const Signals& bits) {
  return of_elements<num_bytes, 8>([&](std::size_t i) { return part(bits, 8 * i % bits.size(), 8); });
}
template <std::size_t num_bytes, class... Number>
Register<num_bytes> of_numbers(std::size_t element_bits, Number... numbers) {
  Signals bits;
  for (const long long number : {static_cast<long long>(numbers)...})
    append(bits, part(signals_of(number), 0, element_bits));
  return Register<num_bytes>::of(bits);
}

}  // namespace prove
