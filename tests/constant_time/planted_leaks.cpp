#include "planted_leaks.hpp"

#include <array>
#include <cstring>

namespace phalanx::test {
namespace {

volatile unsigned sink;

void look_up(Bytes secret) {
  static const std::array<std::uint8_t, 256> table{1, 2, 3};
  sink = table[secret[0]];
}

void take_branch(Bytes secret) {
  if (secret[1] & 1) sink = sink + 1;
}

void compare_to_the_first_difference(Bytes secret) {
  static const std::array<std::uint8_t, 16> expected{};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (secret[i] != expected[i]) break;
    sink = static_cast<unsigned>(i);
  }
}

void copy_so_many(Bytes secret) {
  std::array<std::uint8_t, 64> to{};
  volatile std::size_t num_bytes = secret[2] % 32;
  std::memcpy(to.data(), secret.data(), num_bytes);
  sink = to[0] == 0xFF ? 1 : 0;
}

}  // namespace

bool run_planted_leak(const std::string& name, Bytes secret) {
  if (name == "table") return look_up(secret), true;
  if (name == "branch") return take_branch(secret), true;
  if (name == "early_exit") return compare_to_the_first_difference(secret), true;
  if (name == "copy") return copy_so_many(secret), true;
  return false;
}

}  // namespace phalanx::test
