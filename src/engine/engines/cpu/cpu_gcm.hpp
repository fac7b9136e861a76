// GCM under one key, on the CPU's threads.
#pragma once

#include "engine/engines/composed_gcm.hpp"
#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/cpu_hash.hpp"

namespace phalanx {

/// Threads share the messages of a batch, and the shares of a long message.
class CpuGcm final : public ComposedGcm {
 public:
  CpuGcm(const CipherSpec& cipher, const Kernel& kernel, const GhashKernel& hash_kernel, Bytes key, int num_threads);

  [[nodiscard]] Bytes key() const override { return cipher_.key(); }
  void crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const override;
  void join_hashes(std::uint8_t* y, const std::uint8_t* part_y, std::uint64_t num_blocks) const override {
    hash_.join(y, part_y, num_blocks);
  }

 private:
  [[nodiscard]] bool is_for_kernel(const AeadMessage& message) const;
  void crypt_one(Direction direction, Unverified unverified, AeadMessage& message) const;
  void crypt_batch(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const;
  void crypt_run(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const;
  void crypt_share(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const;

  void encrypt_blocks(std::uint8_t* blocks, std::size_t num_blocks) const override;
  void crypt_counter_mode(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t num_blocks) const override;
  void hash_blocks(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                   std::size_t num_last) const override;
  void crypt_and_hash(const GcmRange& range) const override;
  /// The first shares of a long range, shared by the threads; counter and hash move on.
  void crypt_and_hash_shares(const GcmRange& range, std::size_t num_shares) const;

  const CipherSpec& spec_;
  const GhashKernel& hash_kernel_;
  CpuCipher cipher_;
  CpuHash hash_;
};

}  // namespace phalanx
