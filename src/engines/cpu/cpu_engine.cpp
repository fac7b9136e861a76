#include "engines/cpu/cpu_engine.hpp"

#include "engines/cpu/cpu_cipher.hpp"
#include "engines/cpu/cpu_gcm.hpp"

namespace phalanx {
namespace {

const Kernel& kernel_of(const InstructionSet& set, const CipherSpec& cipher) {
  switch (cipher.family) {
    case CipherFamily::des:
      return *set.des;
    case CipherFamily::serpent:
      return *set.serpent;
    case CipherFamily::twofish:
      return *set.twofish;
    case CipherFamily::aes:
      break;
  }
  return *(cipher.key_bytes == 16 ? set.aes_128 : cipher.key_bytes == 24 ? set.aes_192 : set.aes_256);
}

}  // namespace

EngineInfo CpuEngine::info() const {
  const bool usable = set_.usable();
  return {std::string("cpu:") + set_.name, set_.description, usable, usable ? "" : "this processor lacks some of them"};
}

std::unique_ptr<KeyedCipher> CpuEngine::set_key(const CipherSpec& cipher, Bytes key, int num_threads) const {
  return std::make_unique<CpuCipher>(cipher, kernel_of(set_, cipher), key, num_threads);
}

std::unique_ptr<KeyedGcm> CpuEngine::set_gcm_key(const CipherSpec& cipher, Bytes key, int num_threads) const {
  return std::make_unique<CpuGcm>(cipher, kernel_of(set_, cipher), *set_.ghash, key, num_threads);
}

std::size_t* CpuEngine::serial_blocks(const CipherSpec& cipher) const { return kernel_of(set_, cipher).serial_blocks; }

}  // namespace phalanx
