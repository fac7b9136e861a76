// What the library's tests run on: every engine that can run here (but not each GPU apart), and the AVX-512 kernels over the
// emulation.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/ciphers/direction.hpp"
#include "engine/engines/cpu/kernel.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx::test {

using Buffer = std::vector<std::uint8_t>;

/// The engines to test: each instruction set's that can run here, and "cuda", whose tests are skipped where it cannot.
const std::vector<std::string>& tested_engines();

/// A test with an engine as its parameter.
class OnEveryEngine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  [[nodiscard]] static std::string engine() { return GetParam(); }
  [[nodiscard]] static EngineOptions options(int num_threads = 0) {
    return {.engine = engine(), .num_threads = num_threads};
  }
  // What is allowed: policy_test.cpp judges what is refused.
  static constexpr CipherPolicy with_legacy{.allow_legacy = true};
  static constexpr AeadOptions with_any_nonce{.any_nonce_size = true};
  /// Lanes in a group of this engine's kernel; a GPU's are those of a warp's tile.
  [[nodiscard]] static std::size_t lanes_of(const CipherSpec& cipher);
  /// The kernels of a CPU's engine.
  [[nodiscard]] static const InstructionSet& instruction_set();
  [[nodiscard]] static const Kernel& kernel_of(const CipherSpec& cipher);
  /// The emulation is slow: tests that need much data give it less.
  [[nodiscard]] static bool is_slow() { return engine().ends_with("emulated"); }
};

/// For INSTANTIATE_TEST_SUITE_P: the engine's name, without "cpu:", as part of the test's.
std::string engine_name(const testing::TestParamInfo<std::string>& info);

#define PHALANX_ON_EVERY_ENGINE(suite) \
  INSTANTIATE_TEST_SUITE_P(engines, suite, testing::ValuesIn(phalanx::test::tested_engines()), phalanx::test::engine_name)

/// Every cipher and mode, GCM apart: it has functions of its own.
std::vector<NamedCipher> all_names_but_gcm();

/// Bytes that depend on the seed alone.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}
  Buffer bytes(std::size_t size);
  std::size_t below(std::size_t bound) { return generator_() % bound; }

 private:
  std::mt19937_64 generator_;
};

inline bool takes_whole_blocks(Mode mode) { return mode == Mode::ecb || mode == Mode::cbc; }

/// Cipher::encrypt and decrypt into memory of their own.
Buffer crypt(const Cipher& cipher, Direction direction, Bytes iv, Bytes in);

}  // namespace phalanx::test
