// The host's side of section IV: what goes to the GPU, which kernels are launched on it, and what comes back.
#pragma once

#include <cstddef>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "engine/ciphers/direction.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_kernels.hpp"
#include "reproductions/paper_gpu.hpp"

namespace papers::altinok2020 {

/// Triple DES in ECB on the current GPU, one key at a time.
class BitLevel3Des {
 public:
  /// Takes memory for so many blocks of text: 64 bytes each, here and on the GPU.
  explicit BitLevel3Des(std::size_t max_blocks);

  /// From bytes to bytes: the four stages below, one after another. `in` and `out` have whole blocks, `key` 24 bytes.
  void crypt(phalanx::Direction direction, phalanx::Bytes key, phalanx::Bytes in, phalanx::MutableBytes out);

  /// Sends the three base keys as chars, for decryption in reversed order, and launches the key kernel.
  void supply_keys(phalanx::Direction direction, phalanx::Bytes key);
  /// Writes the text as chars, in the host's memory; sends them; and the way back.
  void spread_text(phalanx::Bytes in);
  void send_text(std::size_t num_blocks);
  void fetch_text(std::size_t num_blocks);
  void gather_text(phalanx::MutableBytes out);
  /// One of the three launches of the cipher kernel, 0 to 2; and all three.
  void launch_pass(phalanx::Direction direction, int pass, std::size_t num_blocks);
  void launch_passes(phalanx::Direction direction, std::size_t num_blocks);

 private:
  std::vector<char> bits_;
  DeviceMemory<char> text_;
  DeviceMemory<char> base_keys_;
  DeviceMemory<char> round_keys_;
  DeviceMemory<Fips46Tables> tables_;
};

}  // namespace papers::altinok2020
