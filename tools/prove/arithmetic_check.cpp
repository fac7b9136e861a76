// Recorded operations beside those of the machine, on random numbers.
#include "arithmetic_check.hpp"

#include <random>
#include <vector>

#include "recorded_integer.hpp"

namespace prove {
namespace {

// 64 pairs of numbers at once, pair j in bit j of each value.
template <class T>
struct Experiment {
  RecordedInteger<T> a, b;
  std::vector<std::uint64_t> values;
  std::mt19937_64 random{sizeof(T)};

  Experiment() {
    graph() = {};
    a = RecordedInteger<T>::of(graph().inputs(8 * sizeof(T)));
    b = RecordedInteger<T>::of(graph().inputs(8 * sizeof(T)));
    for (std::size_t i = 0; i < 16 * sizeof(T); ++i) values.push_back(random());
  }
  // Number j of the i-th operand, of any signals with these inputs.
  template <class U>
  U number(const Signals& signals, unsigned j) const {
    const std::vector<std::uint64_t> bits = graph().evaluate(signals, values);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) number |= (bits[i] >> j & 1) << i;
    return static_cast<U>(number);
  }
  // Whether `function` of recorded numbers is what it is of plain ones.
  template <class Function>
  bool agrees(Function function) const {
    const auto recorded = function(a, b);
    using Result = decltype(function(T{}, T{}));
    const RecordedInteger<Result> result(recorded);
    for (const unsigned j : {0, 1, 30, 63}) {
      const T x = number<T>(a.bits(), j);
      const T y = number<T>(b.bits(), j);
      if (number<Result>(result.bits(), j) != static_cast<Result>(function(x, y))) return false;
    }
    return true;
  }
};

template <class T>
bool operations_agree() {
  const Experiment<T> e;
  const bool logic = e.agrees([](auto x, auto y) { return x & y; }) && e.agrees([](auto x, auto y) { return x | y; }) &&
                     e.agrees([](auto x, auto y) { return x ^ y; }) && e.agrees([](auto x, auto) { return ~x; });
  const bool cancelled = e.agrees([](auto x, auto y) { return (~(x ^ y) ^ (x >> 3)) ^ (y ^ (x << 2)); }) &&
                         e.agrees([](auto x, auto y) { return (x & y) ^ (~x ^ y) ^ (~y ^ x); }) &&
                         e.agrees([](auto x, auto y) { return ((x & (y >> 1)) ^ (x ^ y)) ^ x; });
  const bool sums = e.agrees([](auto x, auto y) { return x + y; }) && e.agrees([](auto x, auto y) { return x - y; }) &&
                    e.agrees([](auto, auto y) { return 0 - y; }) && e.agrees([](auto x, auto) { return x * 0x100001U; });
  const bool shifts = e.agrees([](auto x, auto) { return x << 5; }) && e.agrees([](auto x, auto) { return x >> 7; }) &&
                      e.agrees([](auto x, auto y) { return x >> (y & 31); }) &&
                      e.agrees([](auto x, auto y) { return x << (y & 31); });
  return logic && cancelled && sums && shifts;
}

// A comparison, the flip of a GPU's mask, widths and signs.
bool conversions_agree() {
  const Experiment<std::uint32_t> e;
  const auto differ = [](auto x, auto y) {
    return static_cast<std::conditional_t<is_recorded<decltype(x)>, RecordedInteger<std::uint32_t>, std::uint32_t>>(
        (x & 1) != (y & 1));
  };
  const auto flip = [](auto x, auto y) {
    const auto mask = 0 - (y & 1);
    return x * (mask | 1) + mask;
  };
  const auto widen = [](auto x, auto) {
    using Wide = std::conditional_t<is_recorded<decltype(x)>, RecordedInteger<std::uint64_t>, std::uint64_t>;
    return Wide{x} << 7;
  };
  const auto spread = [](auto x, auto) {
    using Signed = std::conditional_t<is_recorded<decltype(x)>, RecordedInteger<std::int32_t>, std::int32_t>;
    return static_cast<Signed>(x << 3) >> 31;
  };
  return e.agrees(differ) && e.agrees(flip) && e.agrees(widen) && e.agrees(spread);
}

// Every lookup, on all inputs.
bool lookups_agree() {
  for (unsigned table = 0; table < 256; ++table) {
    for (unsigned i = 0; i < 8; ++i) {
      const Literal bit = look_up(static_cast<std::uint8_t>(table), i >> 2 & 1, i >> 1 & 1, i & 1);
      if (bit != (table >> i & 1)) return false;
    }
  }
  return true;
}

}  // namespace

bool recorded_arithmetic_is_real() {
  return operations_agree<std::uint32_t>() && operations_agree<std::uint64_t>() && conversions_agree() && lookups_agree();
}

}  // namespace prove
