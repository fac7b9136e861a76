// What the fuzz targets share: a reader that makes choices of the bytes, and properties that end the run where they do not
// hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

namespace phalanx::fuzz {

using Buffer = std::vector<std::uint8_t>;

/// Ends the program where a property does not hold; the fuzzer then keeps the input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// The code of the Error that the function throws; nullopt if none. Whatever else leaves it ends the program.
template <class Function>
std::optional<ErrorCode> error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    const std::string text = error.what();
    require(!text.empty() && text.find('\n') == std::string::npos, "a message is one line");
    require(error.code() >= ErrorCode::runtime && error.code() <= ErrorCode::format, "a code is one of the list");
    return error.code();
  }
  return std::nullopt;
}

/// Takes the input apart from its beginning; at its end all choices are 0.
class FuzzedInput {
 public:
  FuzzedInput(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

  /// From 0 to bound - 1, of as many bytes as that takes.
  std::size_t below(std::size_t bound) {
    std::uint64_t number = 0;
    for (std::uint64_t reach = 1; reach < bound; reach <<= 8) number = number << 8 | take_byte();
    return static_cast<std::size_t>(bound == 0 ? 0 : number % bound);
  }
  bool flag() { return below(2) == 1; }

  /// The next bytes, fewer at the end.
  Bytes take(std::size_t size) {
    const Bytes taken = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  Bytes take_rest() { return take(rest_.size()); }

  /// Exactly so many, with zeros behind the end.
  Buffer fill(std::size_t size) {
    const Bytes taken = take(size);
    Buffer buffer(taken.begin(), taken.end());
    buffer.resize(size);
    return buffer;
  }
  std::string text(std::size_t size) {
    const Bytes taken = take(size);
    return {taken.begin(), taken.end()};
  }
  template <class List>
  auto& one_of(List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint8_t take_byte() {
    const Bytes byte = take(1);
    return byte.empty() ? std::uint8_t{0} : byte[0];
  }

  Bytes rest_;
};

inline bool same(Bytes one, Bytes other) { return std::equal(one.begin(), one.end(), other.begin(), other.end()); }

}  // namespace phalanx::fuzz

/// What libFuzzer and replay_driver.cpp call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
