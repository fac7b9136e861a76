// Unsigned integers whose bits may be unknown: every operation writes the gates that compute it.
//
// RecordedInteger<T> is as large as T and laid out as T, so recorded code may copy memory and cast pointers as it always
// does. What is known of a byte of memory is kept beside the memory, by its address: eight signals. A byte without any is
// what it holds. To decide a branch or an address by an unknown bit is an error: code that was recorded has none that
// depends on a secret.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "and_graph.hpp"

namespace prove {

/// The bits of memory, 8 a byte, the lowest first.
Signals read_memory(const void* from, std::size_t num_bytes);
/// Bytes whose bits are all constant become plain bytes.
void write_memory(void* to, const Signals& bits);
/// From now on the memory is what it holds.
void forget_memory(const void* from, std::size_t num_bytes);
/// memcpy and memset.
void copy_memory(void* to, const void* from, std::size_t num_bytes);
void fill_memory(void* to, int byte, std::size_t num_bytes);

/// A mistake to make on purpose, in the n-th operation (from 1) of its kind while the implementation is recorded.
enum class Fault { none, operation, shift };
void plant_fault(Fault kind, std::size_t number);
/// How many operations of the kind have been recorded.
std::size_t num_recorded(Fault kind);
/// Whether this is the operation that is to go wrong.
bool goes_wrong(Fault kind);

/// Bit (a << 2 | b << 1 | c) of the table.
Literal look_up(std::uint8_t table, Literal a, Literal b, Literal c);
Signals add(const Signals& a, const Signals& b, Literal carry);
/// By a constant, by 1 or -1 as an unknown bit chooses (see the definition), or where carries stay
/// (outside_cores/polynomials.hpp).
Signals multiply(const Signals& a, const Signals& b);
/// a + b, but f ? -x : x plus f in every bit is x ^ f in every bit: the claim `lemma.flip` proves it.
Signals add_to_product(const Signals& a, const Signals& b);
/// Whether a < b, as numbers with a sign in the highest bit or without.
Literal is_less(Signals a, Signals b, bool is_signed);
/// To the left if `left`, by an unknown count; `fill` comes in.
Signals shift_by_signals(const Signals& a, const Signals& count, bool left, Literal fill);
Signals shift_by_constant(const Signals& a, unsigned count, bool left, Literal fill);

/// A number of the machine that stands for unknown bits on their way through its integers, and the bits that it stands for;
/// none for any other number.
long long stand_in(const Signals& bits);
Signals stood_for(long long number);
/// The same of 32 bits.
int stand_in32(const Signals& bits);
Signals stood_for(int number);

/// What a branch does that depends on an unknown bit: an error, but inside of on_every_path.
bool decide_branch(Literal condition);
/// What `record` gives, whose branches may depend on unknown bits that are no secret, such as those of counters: it runs
/// again for each way that they can go, and the results are chosen between by the branches' conditions.
Signals on_every_path(const std::function<Signals()>& record);

/// The answer of a comparison.
struct RecordedBit {
  Literal signal = zero;
  constexpr operator bool() const { return signal > one ? decide_branch(signal) : signal == one; }  // NOLINT: as bool
};

template <std::integral T>
struct RecordedInteger {
  static constexpr std::size_t num_bits = 8 * sizeof(T);
  T plain = 0;  ///< only while the compiler evaluates, or where nothing is known beside it

  constexpr RecordedInteger() {
    if (!std::is_constant_evaluated()) forget_memory(this, sizeof *this);
  }
  constexpr ~RecordedInteger() {
    if (!std::is_constant_evaluated()) forget_memory(this, sizeof *this);
  }
  template <std::integral I>
  constexpr RecordedInteger(I value) : plain(static_cast<T>(value)) {  // NOLINT: as integers convert
    if (!std::is_constant_evaluated()) forget_memory(this, sizeof *this);
  }
  constexpr RecordedInteger(const RecordedInteger& other) : plain(other.plain) {
    if (!std::is_constant_evaluated()) copy_memory(this, &other, sizeof *this);
  }
  constexpr RecordedInteger& operator=(const RecordedInteger& other) {
    plain = other.plain;
    if (!std::is_constant_evaluated()) copy_memory(this, &other, sizeof *this);
    return *this;
  }
  /// Memory that is wiped behind the work: templates that do it are compiled here, whether they run or not.
  void operator=(const RecordedInteger& other) volatile { const_cast<RecordedInteger&>(*this) = other; }
  /// From another width: the low bits, or the sign or zeros above.
  template <std::integral U>
  constexpr RecordedInteger(const RecordedInteger<U>& other)  // NOLINT: as integers convert
      : plain(static_cast<T>(other.plain)) {
    if (!std::is_constant_evaluated()) take(other);
  }
  constexpr explicit RecordedInteger(RecordedBit bit) : plain(bit.signal == one) {
    if (!std::is_constant_evaluated())
      *this = of([&] {
        Signals bits(num_bits, zero);
        bits[0] = bit.signal;
        return bits;
      }());
  }

  [[nodiscard]] Signals bits() const { return read_memory(this, sizeof *this); }
  static RecordedInteger of(const Signals& bits) {
    RecordedInteger x;
    write_memory(&x, bits);
    return x;
  }

  /// The number, of bits that are all constant.
  [[nodiscard]] constexpr T known() const {
    if (std::is_constant_evaluated()) return plain;
    const Signals signals = bits();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < num_bits; ++i) {
      if (signals[i] > one) throw std::logic_error("an address or a count depends on an unknown bit");
      value |= std::uint64_t{signals[i]} << i;
    }
    return static_cast<T>(value);
  }
  template <class I>
  requires(std::same_as<I, T> || std::same_as<I, unsigned long> || std::same_as<I, long>) constexpr operator I()
      const {  // NOLINT: as integers convert
    return static_cast<I>(known());
  }
  /// Bytes are promoted, so that they may be indices.
  constexpr operator unsigned() const requires(num_bits == 8) { return known(); }  // NOLINT: as integers convert
  /// As vectors are made of numbers, which stay unknown.
  template <class I>
  requires(std::same_as<I, long long> || (std::same_as<I, int> && !std::same_as<T, int>)) constexpr explicit operator I()
      const {
    if constexpr (std::same_as<I, int>) return num_bits == 32 ? stand_in32(bits()) : static_cast<I>(known());
    return static_cast<I>(stand_in(bits()));
  }

 private:
  template <class U>
  void take(const RecordedInteger<U>& other) {
    Signals bits = other.bits();
    bits.resize(num_bits, std::signed_integral<U> ? bits.back() : zero);
    write_memory(this, bits);
  }
};

template <class>
inline constexpr bool is_recorded = false;
template <class T>
inline constexpr bool is_recorded<RecordedInteger<T>> = true;

template <class X>
struct PlainOf {
  using Type = X;
};
template <class T>
struct PlainOf<RecordedInteger<T>> {
  using Type = T;
};
template <class X>
using Plain = typename PlainOf<X>::Type;

/// Operands as C++ takes them: one of them recorded, the other recorded or an integer.
template <class A, class B>
concept RecordedOperands = (is_recorded<A> && (is_recorded<B> || std::integral<B>)) || (std::integral<A> && is_recorded<B>);

/// What the operation gives in C++.
template <class A, class B>
using Common = decltype(Plain<A>{} + Plain<B>{});

template <class T, class A>
constexpr T plain_of(const A& a) {
  if constexpr (is_recorded<A>) {
    return static_cast<T>(a.plain);
  } else {
    return static_cast<T>(a);
  }
}

/// Applies a function of two operands' bits, or of their values while the compiler evaluates.
template <class A, class B, class OnPlain, class OnBits>
constexpr RecordedInteger<Common<A, B>> operation(const A& a, const B& b, OnPlain on_plain, OnBits on_bits) {
  using T = Common<A, B>;
  if (std::is_constant_evaluated()) return RecordedInteger<T>(on_plain(plain_of<T>(a), plain_of<T>(b)));
  Signals bits = on_bits(RecordedInteger<T>(a).bits(), RecordedInteger<T>(b).bits());
  if (goes_wrong(Fault::operation)) {
    for (Literal& bit : bits) bit = not_of(bit);
  }
  return RecordedInteger<T>::of(bits);
}

template <class Gate>
Signals on_each_bit(Signals a, const Signals& b, Gate gate) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = gate(a[i], b[i]);
  return a;
}

template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator&(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x & y; },
      [](const Signals& x, const Signals& y) {
        return on_each_bit(x, y, [](Literal s, Literal t) { return graph().and_of(s, t); });
      });
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator|(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x | y; },
      [](const Signals& x, const Signals& y) {
        return on_each_bit(x, y, [](Literal s, Literal t) { return graph().or_of(s, t); });
      });
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator^(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x ^ y; },
      [](const Signals& x, const Signals& y) {
        return on_each_bit(x, y, [](Literal s, Literal t) { return graph().xor_of(s, t); });
      });
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator+(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x + y; }, add_to_product);
}
/// In every bit: bit (a << 2 | b << 1 | c) of the table.
template <std::uint8_t table, class T>
RecordedInteger<T> look_up(const RecordedInteger<T>& a, const RecordedInteger<T>& b, const RecordedInteger<T>& c) {
  const Signals chooser = c.bits();
  std::size_t i = 0;
  return operation(
      a, b, [](auto x, auto) { return x; },
      [&](const Signals& x, const Signals& y) {
        return on_each_bit(x, y, [&](Literal s, Literal t) { return look_up(table, s, t, chooser[i++]); });
      });
}
/// Addresses are known.
template <class P, class T>
P* operator+(P* p, const RecordedInteger<T>& a) {
  return p + a.known();
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator-(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x - y; },
      [](const Signals& x, Signals y) {
        for (Literal& bit : y) bit = not_of(bit);
        return add(x, y, one);
      });
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator*(const A& a, const B& b) {
  return operation(
      a, b, [](auto x, auto y) { return x * y; }, multiply);
}
/// Of known numbers only, as the next one.
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator/(const A& a, const B& b) {
  using T = Common<A, B>;
  return RecordedInteger<T>(RecordedInteger<T>(a).known() / RecordedInteger<T>(b).known());
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator%(const A& a, const B& b) {
  using T = Common<A, B>;
  return RecordedInteger<T>(RecordedInteger<T>(a).known() % RecordedInteger<T>(b).known());
}
template <class T>
constexpr RecordedInteger<T>& operator++(RecordedInteger<T>& a) {
  if (std::is_constant_evaluated()) return a = a.plain + 1;
  return a = RecordedInteger<T>::of(add(a.bits(), Signals(8 * sizeof(T), zero), one));
}

template <class T>
constexpr auto operator~(const RecordedInteger<T>& a) {
  return a ^ static_cast<decltype(~T{})>(~T{});
}

template <class A, class B>
requires RecordedOperands<A, B>
constexpr RecordedBit operator!=(const A& a, const B& b) {
  using T = Common<A, B>;
  if (std::is_constant_evaluated()) return {plain_of<T>(a) != plain_of<T>(b) ? one : zero};
  Literal any = zero;
  for (const Literal bit : RecordedInteger<T>(RecordedInteger<T>(a) ^ RecordedInteger<T>(b)).bits())
    any = graph().or_of(any, bit);
  return {any};
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr RecordedBit operator==(const A& a, const B& b) { return {not_of((a != b).signal)}; }

template <class A, class B>
requires RecordedOperands<A, B>
constexpr RecordedBit operator<(const A& a, const B& b) {
  using T = Common<A, B>;
  if (std::is_constant_evaluated()) return {plain_of<T>(a) < plain_of<T>(b) ? one : zero};
  return {is_less(RecordedInteger<T>(a).bits(), RecordedInteger<T>(b).bits(), std::signed_integral<T>)};
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr RecordedBit operator>(const A& a, const B& b) { return b < a; }
template <class A, class B>
requires RecordedOperands<A, B>
constexpr RecordedBit operator>=(const A& a, const B& b) { return {not_of((a < b).signal)}; }

/// Shifts have the type of the left operand, promoted.
template <class A>
using Promoted = decltype(+Plain<A>{});

template <bool left, class A, class B>
constexpr RecordedInteger<Promoted<A>> shift(const A& a, const B& count) {
  using T = Promoted<A>;
  if (std::is_constant_evaluated()) {
    const T x = plain_of<T>(a);
    return RecordedInteger<T>(left ? x << plain_of<unsigned>(count) : x >> plain_of<unsigned>(count));
  }
  const Signals bits = RecordedInteger<T>(a).bits();
  const Literal fill = !left && std::signed_integral<T> ? bits.back() : zero;
  const unsigned wrong = goes_wrong(Fault::shift) ? 1 : 0;
  if constexpr (is_recorded<B>) {
    Signals count_bits = count.bits();
    bool known = true;
    for (const Literal bit : count_bits) known = known && bit <= one;
    if (!known) return RecordedInteger<T>::of(shift_by_signals(bits, count_bits, left, fill));
    return RecordedInteger<T>::of(shift_by_constant(bits, static_cast<unsigned>(count.known()) + wrong, left, fill));
  } else {
    return RecordedInteger<T>::of(shift_by_constant(bits, static_cast<unsigned>(count) + wrong, left, fill));
  }
}
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator<<(const A& a, const B& count) { return shift<true>(a, count); }
template <class A, class B>
requires RecordedOperands<A, B>
constexpr auto operator>>(const A& a, const B& count) { return shift<false>(a, count); }

template <class T, class B>
constexpr RecordedInteger<T>& operator^=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a ^ b);
}
template <class T, class B>
constexpr RecordedInteger<T>& operator|=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a | b);
}
template <class T, class B>
constexpr RecordedInteger<T>& operator&=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a & b);
}
template <class T, class B>
constexpr RecordedInteger<T>& operator+=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a + b);
}
template <class T, class B>
constexpr RecordedInteger<T>& operator>>=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a >> b);
}
template <class T, class B>
constexpr RecordedInteger<T>& operator<<=(RecordedInteger<T>& a, const B& b) {
  return a = RecordedInteger<T>(a << b);
}

}  // namespace prove
