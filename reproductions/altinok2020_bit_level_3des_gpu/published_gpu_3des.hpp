// What the published GPU program does for one 3DES: memory taken, tables, keys and text sent, one DES, and the text fetched,
// three times over.
#pragma once

#include <cstddef>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "engine/ciphers/direction.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_3des.hpp"

namespace papers::altinok2020 {

class Published3Des {
 public:
  /// Takes the host's memory for so many blocks, and nothing of the GPU's: that is taken at each pass.
  explicit Published3Des(std::size_t max_blocks) : in_(bits_per_block * max_blocks), out_(bits_per_block * max_blocks) {}

  /// From bytes to bytes. `key` has 24 bytes.
  void crypt(phalanx::Direction direction, phalanx::Bytes key, phalanx::Bytes in, phalanx::MutableBytes out);

  /// The key kernel, from the three base keys to 48 round keys in the host's memory.
  static std::vector<char> make_round_keys(phalanx::Bytes key);

 private:
  void pass(const char* round_keys, std::size_t num_blocks);

  std::vector<char> in_, out_;
};

}  // namespace papers::altinok2020
