// GCM by parts, for phalanx.compat: what it decrypts is not verified before the end. SP 800-38D.
#pragma once

#include <memory>
#include <phalanx/cipher.hpp>

#include "arguments/sole_use.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/engines/cpu/cpu_hash.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {

/// One message. Not for several threads at once.
class GcmStream {
 public:
  /// `name` is "aes-256-gcm"; the key is the cipher's.
  GcmStream(const std::string& name, Bytes key, Bytes nonce, Direction direction, int num_threads);

  /// Before the first byte of text. Throws Error (usage) afterwards.
  void add_associated_data(Bytes in);
  /// `out` is as long as `in`, and disjoint or the same.
  void update(Bytes in, MutableBytes out);
  /// The tag, 16 bytes; nothing can follow: each call throws Error (usage) then, and after one that failed within.
  void finish(std::uint8_t* tag);

 private:
  void hash(Bytes in);
  void fill_hash();
  void write_first_counter(Bytes nonce);
  void crypt(Bytes in, MutableBytes out);

  Direction direction_;
  std::unique_ptr<const Cipher> counter_cipher_;  // CTR
  std::unique_ptr<const CpuHash> hash_;
  WipedArray<16> first_counter_;
  WipedArray<16> counter_;    // of the next whole block
  WipedArray<16> keystream_;  // of the block that is begun
  std::size_t keystream_used_ = 16;
  WipedArray<16> y_;
  WipedArray<16> hash_block_;
  std::size_t hash_kept_ = 0;
  std::uint64_t associated_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  bool has_text_ = false;
  MessageLife life_;
};

}  // namespace phalanx
