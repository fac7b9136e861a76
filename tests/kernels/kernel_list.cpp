#include "kernel_list.hpp"

namespace phalanx {
namespace {

#define PHALANX_KERNELS(isa)                                                                                                    \
  {#isa, &des_kernel_##isa, &aes_128_kernel_##isa, &aes_192_kernel_##isa, &aes_256_kernel_##isa, &serpent_kernel_##isa,         \
   &twofish_kernel_##isa, &ghash_kernel_##isa}

struct KernelSet {
  const char* name;
  const Kernel* des;
  const Kernel* aes_128;
  const Kernel* aes_192;
  const Kernel* aes_256;
  const Kernel* serpent;
  const Kernel* twofish;
  const GhashKernel* ghash;
};

std::vector<KernelSet> usable_sets() {
  std::vector<KernelSet> sets{PHALANX_KERNELS(scalar), PHALANX_KERNELS(avx512_emulated)};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes") &&
      __builtin_cpu_supports("pclmul")) {
    sets.push_back(PHALANX_KERNELS(avx2));
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni") &&
        __builtin_cpu_supports("vaes") && __builtin_cpu_supports("vpclmulqdq")) {
      sets.push_back(PHALANX_KERNELS(avx512));
    }
  }
  return sets;
}

}  // namespace

std::vector<TestedKernel> tested_kernels() {
  std::vector<TestedKernel> kernels;
  for (const KernelSet& set : usable_sets()) {
    const auto add = [&](const char* cipher, std::size_t key_bytes, const Kernel* kernel) {
      kernels.push_back({cipher, set.name, key_bytes, kernel});
    };
    add("des", 8, set.des);
    add("2des", 16, set.des);
    add("des-ede", 16, set.des);
    add("des-ede3", 24, set.des);
    add("aes-128", 16, set.aes_128);
    add("aes-192", 24, set.aes_192);
    add("aes-256", 32, set.aes_256);
    for (const std::size_t key_bytes : {16, 24, 32}) {
      const std::string bits = std::to_string(8 * key_bytes);
      add(("serpent-" + bits).c_str(), key_bytes, set.serpent);
      add(("twofish-" + bits).c_str(), key_bytes, set.twofish);
    }
  }
  return kernels;
}

std::vector<TestedGhash> tested_ghash_kernels() {
  std::vector<TestedGhash> kernels;
  for (const KernelSet& set : usable_sets()) kernels.push_back({set.name, set.ghash});
  return kernels;
}

std::vector<std::uint8_t> kernel_key(const TestedKernel& tested, const std::vector<std::uint8_t>& key) {
  std::vector<std::uint8_t> expanded = key;
  if (tested.cipher == "des-ede") expanded.insert(expanded.end(), key.begin(), key.begin() + 8);
  return expanded;
}

}  // namespace phalanx
