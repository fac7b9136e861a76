#include "engine/engines/cpu/cpu_engine.hpp"

#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/cpu_gcm.hpp"

namespace phalanx {
EngineInfo CpuEngine::info() const {
  const bool usable = set_.usable();
  return {std::string("cpu:") + set_.name, set_.description, usable, usable ? "" : "this processor lacks some of them"};
}

std::unique_ptr<KeyedCipher> CpuEngine::set_key(const CipherSpec& cipher, Bytes key, int num_threads) const {
  return std::make_unique<CpuCipher>(cipher, kernel_of(cipher), key, num_threads);
}

std::unique_ptr<KeyedAead> CpuEngine::set_aead_key(const NamedCipher& aead, Bytes key, int num_threads) const {
  return std::make_unique<CpuGcm>(*aead.cipher, kernel_of(*aead.cipher), *set_.ghash, key, num_threads);
}

}  // namespace phalanx
