#include "tested_engines.hpp"

#include <algorithm>

#include "engines/cpu/instruction_sets.hpp"
#include "engines/registry.hpp"

namespace phalanx::test {
namespace {

constexpr InstructionSet emulated_avx512{
    "avx512-emulated",
    "the AVX-512 kernels in plain C++",
    [] { return true; },
    &des_kernel_avx512_emulated,
    &aes_128_kernel_avx512_emulated,
    &aes_192_kernel_avx512_emulated,
    &aes_256_kernel_avx512_emulated,
    &serpent_kernel_avx512_emulated,
    &twofish_kernel_avx512_emulated,
    &ghash_kernel_avx512_emulated,
};

std::vector<const InstructionSet*> find_sets() {
  std::vector<const InstructionSet*> sets;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.usable()) sets.push_back(&set);
  }
  add_cpu_engine(emulated_avx512);
  sets.push_back(&emulated_avx512);
  return sets;
}

}  // namespace

const std::vector<const InstructionSet*>& tested_sets() {
  static const std::vector<const InstructionSet*> sets = find_sets();
  return sets;
}

std::size_t OnEveryEngine::lanes_of(const CipherSpec& cipher) {
  const InstructionSet& set = *GetParam();
  switch (cipher.family) {
    case CipherFamily::des:
      return set.des->lanes;
    case CipherFamily::serpent:
      return set.serpent->lanes;
    case CipherFamily::twofish:
      return set.twofish->lanes;
    case CipherFamily::aes:
      break;
  }
  return set.aes_256->lanes;
}

std::string set_name(const testing::TestParamInfo<const InstructionSet*>& info) {
  std::string name = info.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<NamedCipher> all_names_but_gcm() {
  std::vector<NamedCipher> names;
  for (const CipherSpec& cipher : all_ciphers()) {
    for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr, Mode::cfb, Mode::ofb, Mode::xts}) {
      if (is_mode_of(cipher, mode)) names.push_back({&cipher, mode});
    }
  }
  return names;
}

Buffer Random::bytes(std::size_t size) {
  Buffer bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator_());
  return bytes;
}

Buffer crypt(const Cipher& cipher, Direction direction, Bytes iv, Bytes in) {
  Buffer out(in.size());
  if (direction == Direction::encrypt) {
    cipher.encrypt(iv, in, out);
  } else {
    cipher.decrypt(iv, in, out);
  }
  return out;
}

}  // namespace phalanx::test
