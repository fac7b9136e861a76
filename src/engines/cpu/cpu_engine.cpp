#include "engines/cpu/cpu_engine.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engines/cpu/cpu_cipher.hpp"
#include "engines/cpu/threads.hpp"
#include "modes/chaining.hpp"

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

/// GHASH over threads. With pieces of m blocks each, y after a piece is y * H^m + (the piece's hash from zero).
class CpuHash final : public KeyedHash {
 public:
  CpuHash(const GhashKernel& kernel, const std::uint8_t* hash_subkey, int num_threads)
      : kernel_(kernel), num_threads_(num_threads), key_(kernel.key_bytes), piece_key_(kernel.key_bytes) {
    kernel_.expand_key(hash_subkey, key_.data());
    WipedArray<16> power;  // H^(2^k), squared until it is that of a piece
    std::memcpy(power.bytes, hash_subkey, 16);
    for (std::size_t blocks = 1; blocks < piece_blocks; blocks *= 2) {
      kernel_.expand_key(power.bytes, piece_key_.data());
      multiply(power.bytes, piece_key_);
    }
    kernel_.expand_key(power.bytes, piece_key_.data());
  }

  void update(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) const override {
    const std::size_t num_pieces = num_threads_ == 1 ? 0 : num_blocks / piece_blocks;
    if (num_pieces >= 2) {
      std::vector<ChainBlock> hashes(num_pieces);
      run_parallel(num_threads_, num_pieces, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          kernel_.update(key_.data(), hashes[i].data(), in + i * piece_blocks * 16, piece_blocks);
        }
      });
      for (const ChainBlock& hash : hashes) {
        multiply(y, piece_key_);
        for (std::size_t i = 0; i < 16; ++i) y[i] ^= hash[i];
      }
      wipe_memory(hashes.data(), hashes.size() * sizeof(ChainBlock));
      in += num_pieces * piece_blocks * 16;
      num_blocks -= num_pieces * piece_blocks;
    }
    if (num_blocks != 0) kernel_.update(key_.data(), y, in, num_blocks);
  }

 private:
  static constexpr std::size_t piece_blocks = piece_bytes / 16;
  static_assert((piece_blocks & (piece_blocks - 1)) == 0, "the constructor reaches powers of two");

  /// y = y * (the expanded element): one step of GHASH over a block of zeros.
  void multiply(std::uint8_t* y, const SecretBytes& key) const {
    static constexpr std::uint8_t zeros[16] = {};
    kernel_.update(key.data(), y, zeros, 1);
  }

  const GhashKernel& kernel_;
  int num_threads_;
  SecretBytes key_;
  SecretBytes piece_key_;  ///< H^piece_blocks
};

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

 private:
  const InstructionSet& set_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const InstructionSet& set) { return std::make_unique<CpuEngine>(set); }

}  // namespace phalanx
