// What must not be found on a stack (tests/kernels/own_stack.hpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <phalanx/phalanx.hpp>
#include <unordered_set>

namespace phalanx::test {

/// 32-bit words that tell something of a key. Words of few different bytes, such as the all-ones and zeros of bitsliced
/// round keys, are everywhere, and left out; so are those that hold a bit of one key in four lanes each.
class Secrets {
 public:
  void add(Bytes bytes) {
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) add_word(word_at(bytes.data() + i));
  }
  /// How many words of the stack, which begins at a multiple of 4, are among them.
  [[nodiscard]] std::size_t count_in(Bytes stack) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 4 <= stack.size(); i += 4) count += words_.count(word_at(stack.data() + i));
    return count;
  }

 private:
  static std::uint32_t word_at(const std::uint8_t* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }
  void add_word(std::uint32_t word) {
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                                  static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
    const bool repeats_bits = (word & 0x11111111) * 15 == word;  // four lanes of one key
    if (repeats_bits || std::unordered_set<std::uint8_t>(bytes, bytes + 4).size() < 4) return;
    words_.insert({word, __builtin_bswap32(word)});
  }
  std::unordered_set<std::uint32_t> words_;
};

}  // namespace phalanx::test
