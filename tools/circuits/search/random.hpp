// Random choices of a search, repeatable from a seed.
#pragma once

#include <cstdint>

namespace circuits {

/// Xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U | 1) {
    for (int i = 0; i < 8; ++i) next();
  }
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dU;
  }
  /// 0 to bound - 1.
  int below(int bound) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(bound) >> 32); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  void shuffle(T* items, int count) {
    for (int i = count - 1; i > 0; --i) {
      const int j = below(i + 1);
      const T item = items[i];
      items[i] = items[j];
      items[j] = item;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace circuits
