#include "tested_engines.hpp"

#include <algorithm>

#include "emulated_instruction_sets.hpp"
#include "engine/engines/cpu/instruction_sets.hpp"
#include "engine/engines/registry.hpp"

namespace phalanx::test {
namespace {

std::vector<std::string> find_engines() {
  for (const InstructionSet& set : emulated_instruction_sets()) add_cpu_engine(set);
  std::vector<std::string> names;
  for (const EngineInfo& engine : list_engines()) {
    if (engine.name == "cuda" || (engine.usable && !engine.name.starts_with("cuda:"))) names.push_back(engine.name);
  }
  return names;
}

const InstructionSet& set_of(const std::string& engine) {
  for (const auto all : {emulated_instruction_sets(), instruction_sets()}) {
    for (const InstructionSet& set : all) {
      if (engine == std::string("cpu:") + set.name) return set;
    }
  }
  return *(emulated_instruction_sets().empty() ? instruction_sets() : emulated_instruction_sets()).begin();  // of a GPU
}

}  // namespace

const std::vector<std::string>& tested_engines() {
  static const std::vector<std::string> names = find_engines();
  return names;
}

void OnEveryEngine::SetUp() {
  for (const EngineInfo& info : list_engines()) {
    if (info.name == engine() && !info.usable) GTEST_SKIP() << info.reason;
  }
}

const InstructionSet& OnEveryEngine::instruction_set() { return set_of(engine()); }

const Kernel& OnEveryEngine::kernel_of(const CipherSpec& cipher) { return instruction_set().kernel_of(cipher); }

std::size_t OnEveryEngine::lanes_of(const CipherSpec& cipher) {
  if (engine() == "cuda") return cipher.family == CipherFamily::des ? 1024 : 64;
  return kernel_of(cipher).lanes;
}

std::string engine_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.find(':') + 1);  // all of it where there is no colon
  std::ranges::replace(name, '+', '_');
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
