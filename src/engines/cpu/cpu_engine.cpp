#include "engines/cpu/cpu_engine.hpp"

#include "engines/cpu/cpu_cipher.hpp"
#include "engines/cpu/cpu_hash.hpp"

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

class CpuEngine final : public Engine {
 public:
  explicit CpuEngine(const InstructionSet& set) : set_(set) {}

  [[nodiscard]] EngineInfo info() const override {
    const bool usable = set_.usable();
    return {std::string("cpu:") + set_.name, set_.description, usable, usable ? "" : "this processor lacks some of them"};
  }
  [[nodiscard]] std::unique_ptr<KeyedCipher> set_key(const CipherSpec& cipher, Bytes key, int num_threads) const override {
    return std::make_unique<CpuCipher>(cipher, kernel_of(set_, cipher), key, num_threads);
  }
  [[nodiscard]] std::unique_ptr<KeyedHash> set_hash_key(const std::uint8_t* hash_subkey, int num_threads) const override {
    return std::make_unique<CpuHash>(*set_.ghash, hash_subkey, num_threads);
  }
  [[nodiscard]] std::size_t* serial_blocks(const CipherSpec& cipher) const override {
    return kernel_of(set_, cipher).serial_blocks;
  }

 private:
  const InstructionSet& set_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const InstructionSet& set) { return std::make_unique<CpuEngine>(set); }

}  // namespace phalanx
