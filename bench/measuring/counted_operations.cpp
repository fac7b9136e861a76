#include "bench/measuring/counted_operations.hpp"

#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/ciphers/serpent/serpent_keyed_core.hpp"
#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

bench::OperationCount counted;  // one thread counts at a time

// A lane word without lanes.
template <bool lut3_is_one>
struct CountingWord {
  static constexpr bool has_lut3 = lut3_is_one;

  static CountingWord load(const void* /*p*/) { return {}; }
  void store(void* /*p*/) const {}
  static CountingWord broadcast64(std::uint64_t /*x*/) { return {}; }
  static CountingWord broadcast32(std::uint32_t /*x*/) { return {}; }

  static CountingWord operation() {
    ++counted.operations;
    return {};
  }
  static CountingWord rotation() {
    counted.shifts += lut3_is_one ? 1 : 2;  // AVX-512 rotates; elsewhere two shifts and an OR
    counted.operations += lut3_is_one ? 1 : 3;
    return {};
  }

  // NOLINTBEGIN(readability-named-parameter): what they are does not count
  friend CountingWord operator&(CountingWord, CountingWord) { return operation(); }
  friend CountingWord operator|(CountingWord, CountingWord) { return operation(); }
  friend CountingWord operator^(CountingWord, CountingWord) { return operation(); }
  friend CountingWord operator~(CountingWord) { return operation(); }
  friend CountingWord and_not(CountingWord, CountingWord) { return operation(); }
  // NOLINTEND(readability-named-parameter)
};

template <std::uint8_t table, bool lut3_is_one>
CountingWord<lut3_is_one> lut3(CountingWord<lut3_is_one> a, CountingWord<lut3_is_one> b, CountingWord<lut3_is_one> c) {
  if constexpr (lut3_is_one) {
    return a.operation();
  } else {
    return lut3_two_input<table>(a, b, c);
  }
}
template <int count, bool lut3_is_one>
CountingWord<lut3_is_one> rotate_left32(CountingWord<lut3_is_one> a) {
  return a.rotation();
}
template <int count, bool lut3_is_one>
CountingWord<lut3_is_one> shift_left32(CountingWord<lut3_is_one> a) {
  ++counted.shifts;
  return a.operation();
}

template <class Word>
bench::OperationCount count_des() {
  counted = {};
  Word planes[64];
  const std::uint64_t bits[48] = {};
  feistel<DesPlanesInMemory<Word>>(planes + 1, planes, SharedRoundKey<Word>{bits});
  return counted;
}

template <class Rounds, class Key, class Word>
bench::OperationCount count_rounds(const Key& key, Direction direction, Word (*x)[4]) {
  counted = {};
  if (direction == Direction::encrypt) {
    Rounds::encrypt(key, x);
  } else {
    Rounds::decrypt(key, x);
  }
  return counted;
}

}  // namespace

namespace bench {

OperationCount count_des_round(bool has_lut3) {
  return has_lut3 ? count_des<CountingWord<true>>() : count_des<CountingWord<false>>();
}

OperationCount count_serpent(bool has_lut3, Direction direction) {
  const SerpentKeyedSchedule schedule{};
  if (has_lut3) {
    CountingWord<true> x[1][4];
    return count_rounds<SerpentKeyedRounds<CountingWord<true>, 1>>(schedule.encrypt, direction, x);
  }
  CountingWord<false> x[1][4];
  return count_rounds<SerpentRounds<CountingWord<false>, 1>>(SerpentSharedKey{schedule}, direction, x);
}

}  // namespace bench
}  // namespace phalanx
