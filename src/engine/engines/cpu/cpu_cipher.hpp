// One cipher's kernel under one key, on the CPU's threads.
#pragma once

#include "engine/engines/cpu/kernel.hpp"
#include "engine/engines/engine.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

class CpuCipher final : public KeyedCipher {
 public:
  CpuCipher(const CipherSpec& cipher, const Kernel& kernel, Bytes key, int num_threads);

  void crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t num_blocks) const override;
  void crypt_batch(Mode mode, Direction direction, std::span<const BlockMessage> messages) const override;
  [[nodiscard]] Bytes key() const override { return {key_.data() + kernel_.schedule_bytes, cipher_.key_bytes}; }

  /// crypt_range under another key schedule.
  void crypt_with(const void* schedule, Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t num_blocks) const;
  /// Bytes 8 part to 8 part + 7 of a key of this cipher as its kernel takes it, which is kernel_key_bytes() long; `key`
  /// empty: of the cipher's own key.
  [[nodiscard]] const std::uint8_t* kernel_key_part(Bytes key, std::size_t part) const;
  [[nodiscard]] std::size_t kernel_key_bytes() const { return phalanx::kernel_key_bytes(cipher_); }
  /// Expands a key of this cipher into memory of kernel().schedule_bytes, aligned to 64.
  void expand_key(Bytes key, void* schedule) const;

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const void* schedule() const { return key_.data(); }
  [[nodiscard]] int num_threads() const { return num_threads_; }

 private:
  /// A large range in a mode whose blocks are independent, on the threads.
  void crypt_in_shares(const void* schedule, Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in,
                       std::uint8_t* out, std::size_t num_blocks) const;
  [[nodiscard]] RangeFunction range_function(Mode mode, Direction direction) const {
    return kernel_.range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  }
  [[nodiscard]] std::size_t blocks_in_share(std::size_t num_blocks) const;
  const CipherSpec& cipher_;
  const Kernel& kernel_;
  int num_threads_;
  std::size_t least_shared_blocks_;  ///< fewer stay on the caller's thread
  SecretBytes key_;                  ///< the schedule, then the key as the kernel takes it
};

/// Jobs below two of these stay on the caller's thread; larger ones are cut into shares of this size or larger.
inline constexpr std::size_t share_bytes = std::size_t{64} << 10;

}  // namespace phalanx
