// GHASH under one key, on the CPU's threads.
#pragma once

#include <functional>

#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/kernel.hpp"
#include "engine/engines/engine.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// GHASH (SP 800-38D section 6.4). Immutable.
class CpuHash {
 public:
  CpuHash(const GhashKernel& kernel, const std::uint8_t* hash_subkey, int num_threads);

  /// y = (y ^ X) * H for each block X of `in` in turn; `y` is 16 bytes.
  void update(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) const;
  /// The same over the blocks of `in` and then the num_last blocks at `last`.
  void update_to_end(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                     std::size_t num_last) const;

  /// Makes of y, the hash of what is before a part of num_blocks blocks, that of both together; part_y is the part's, hashed
  /// from zero. Not for the data themselves: it takes some dozen products.
  void join(std::uint8_t* y, const std::uint8_t* part_y, std::size_t num_blocks) const;

  static constexpr std::size_t share_blocks = share_bytes / 16;

  /// How many shares of share_blocks blocks are worth spreading over threads: none, or at least two.
  [[nodiscard]] std::size_t num_shares(std::size_t num_blocks) const {
    const std::size_t num = num_blocks / share_blocks;
    return num_threads_ == 1 || num < 2 ? 0 : num;
  }
  /// Hashes so many shares at once: hash_share(i, share_y) is to take share i into share_y. `y` moves on by all of them.
  void update_shares(std::uint8_t* y, std::size_t num_shares,
                     const std::function<void(std::size_t, std::uint8_t*)>& hash_share) const;

  [[nodiscard]] const void* key() const { return key_.data(); }

 private:
  void multiply(std::uint8_t* y, const SecretBytes& key) const;

  const GhashKernel& kernel_;
  int num_threads_;
  SecretBytes key_;
  SecretBytes share_key_;  ///< H^share_blocks; nothing on one thread
};

}  // namespace phalanx
