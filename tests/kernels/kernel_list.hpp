// Every kernel that can run here, whichever this machine would pick: of each usable instruction set, and the AVX-512 ones
// over the emulation.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engines/cpu/kernel.hpp"

namespace phalanx {

struct TestedKernel {
  std::string cipher;           ///< as the reference names it: "des-ede3"
  std::string instruction_set;  ///< "avx2"
  std::size_t key_bytes;
  const Kernel* kernel;
};

/// One entry for each cipher and key size, and instruction set.
std::vector<TestedKernel> tested_kernels();

/// For INSTANTIATE_TEST_SUITE_P: "des_ede3_avx2".
std::string kernel_test_name(const testing::TestParamInfo<TestedKernel>& info);

struct TestedGhash {
  std::string instruction_set;
  const GhashKernel* kernel;
};

std::vector<TestedGhash> tested_ghash_kernels();
/// "avx2_vaes".
std::string ghash_test_name(const testing::TestParamInfo<TestedGhash>& info);

/// Expanded key of a tested cipher: two-key triple DES goes in as K1 K2 K1.
std::vector<std::uint8_t> kernel_key(const TestedKernel& tested, const std::vector<std::uint8_t>& key);

}  // namespace phalanx
