// The CPU as an engine: one instruction set's kernels over the threads of engine/threads/threads.hpp.
#pragma once

#include "engine/engines/cpu/cpu_hash.hpp"
#include "engine/engines/cpu/kernel.hpp"
#include "engine/engines/engine.hpp"

namespace phalanx {

/// The engine "cpu:<name of the set>".
class CpuEngine final : public Engine {
 public:
  /// The set stays with the caller and must outlive the engine.
  explicit CpuEngine(const InstructionSet& set) : set_(set) {}

  [[nodiscard]] EngineInfo info() const override;
  [[nodiscard]] std::unique_ptr<KeyedCipher> set_key(const CipherSpec& cipher, Bytes key, int num_threads) const override;
  [[nodiscard]] std::unique_ptr<KeyedAead> set_aead_key(const NamedCipher& aead, Bytes key, int num_threads) const override;

  [[nodiscard]] const Kernel& kernel_of(const CipherSpec& cipher) const { return set_.kernel_of(cipher); }

  /// GHASH alone, for engines that crypt elsewhere. `hash_subkey` is 16 bytes.
  [[nodiscard]] CpuHash set_hash_key(const std::uint8_t* hash_subkey, int num_threads) const {
    return {*set_.ghash, hash_subkey, num_threads};
  }

 private:
  const InstructionSet& set_;
};

}  // namespace phalanx
