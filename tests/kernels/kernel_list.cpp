#include "kernel_list.hpp"

#include <algorithm>
#include <iterator>

#include "emulated_instruction_sets.hpp"
#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {
namespace {

std::vector<InstructionSet> usable_sets() {
  std::vector<InstructionSet> sets;
  for (const auto all : {emulated_instruction_sets(), instruction_sets()}) {
    std::ranges::copy_if(all, std::back_inserter(sets), [](const InstructionSet& set) { return set.usable(); });
  }
  return sets;
}

}  // namespace

std::vector<TestedKernel> tested_kernels() {
  std::vector<TestedKernel> kernels;
  for (const InstructionSet& set : usable_sets()) {
    for (const CipherSpec& cipher : all_ciphers()) {
      kernels.push_back({cipher.name, set.name, cipher.key_bytes, &set.kernel_of(cipher)});
    }
  }
  return kernels;
}

namespace {

std::string as_test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '+'; }, '_');
  return name;
}

}  // namespace

std::string kernel_test_name(const testing::TestParamInfo<TestedKernel>& info) {
  return as_test_name(info.param.cipher + "_" + info.param.instruction_set);
}

std::string ghash_test_name(const testing::TestParamInfo<TestedGhash>& info) {
  return as_test_name(info.param.instruction_set);
}

std::vector<TestedGhash> tested_ghash_kernels() {
  std::vector<TestedGhash> kernels;
  for (const InstructionSet& set : usable_sets()) kernels.push_back({set.name, set.ghash});
  return kernels;
}

std::vector<std::uint8_t> kernel_key(const TestedKernel& tested, const std::vector<std::uint8_t>& key) {
  std::vector<std::uint8_t> expanded = key;
  if (tested.cipher == "des-ede") expanded.insert(expanded.end(), key.begin(), key.begin() + 8);
  return expanded;
}

}  // namespace phalanx
