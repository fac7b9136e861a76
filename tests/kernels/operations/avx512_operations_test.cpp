// The emulation that stands for AVX-512 on machines without it (tests/emulation) against the instructions themselves, on
// machines that have them: only together with this do the tests of the emulated kernels say something of the real ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>

#include "engine/engines/cpu/instruction_sets.hpp"
#include "word_operations.hpp"

namespace phalanx {
namespace {

OperationInput random_input(std::mt19937_64& random) {
  OperationInput input{};
  for (std::uint8_t& byte : input.a) byte = static_cast<std::uint8_t>(random());
  for (std::uint8_t& byte : input.b) byte = static_cast<std::uint8_t>(random());
  for (std::uint8_t& byte : input.c) byte = static_cast<std::uint8_t>(random());
  input.mask = random();
  input.number = random();
  return input;
}

void expect_equal(const WordOperations& native, const WordOperations& emulated) {
  ASSERT_EQ(native.num_operations, emulated.num_operations);
  std::mt19937_64 random{512};
  for (std::size_t i = 0; i < native.num_operations; ++i) {
    SCOPED_TRACE(native.operations[i].name);
    ASSERT_STREQ(native.operations[i].name, emulated.operations[i].name);
    for (int trial = 0; trial < 1000; ++trial) {
      const OperationInput input = random_input(random);
      std::uint8_t got[64] = {};
      std::uint8_t want[64] = {};
      native.operations[i].run(input, got);
      emulated.operations[i].run(input, want);
      ASSERT_EQ(std::memcmp(got, want, sizeof got), 0) << "trial " << trial;
    }
  }
}

bool usable(std::string_view name) {
  const auto sets = instruction_sets();
  return std::any_of(sets.begin(), sets.end(),
                     [name](const InstructionSet& set) { return set.name == name && set.usable(); });
}

TEST(Avx512Operations, AreWhatTheEmulationSays) {
  if (!usable("avx512")) GTEST_SKIP() << "this machine has no AVX-512 as the kernels need it";
  expect_equal(native_avx512_operations, emulated_avx512_operations);
  expect_equal(native_avx512_half_operations, emulated_avx512_half_operations);
}

TEST(AesniOperations, AreWhatTheEmulationSays) {
  if (!usable("avx2")) GTEST_SKIP() << "this machine has no AVX2 with AES-NI and PCLMULQDQ";
  expect_equal(native_aesni_operations, emulated_aesni_operations);
}

TEST(VaesOperations, AreWhatTheEmulationSays) {
  if (!usable("avx2+vaes")) GTEST_SKIP() << "this machine has no VAES and VPCLMULQDQ";
  expect_equal(native_vaes_operations, emulated_vaes_operations);
}

}  // namespace
}  // namespace phalanx
