#include "engines/cpu/cpu_hash.hpp"

#include <cstring>
#include <vector>

#include "modes/chaining.hpp"
#include "threads/threads.hpp"

namespace phalanx {

static_assert((CpuHash::piece_blocks & (CpuHash::piece_blocks - 1)) == 0, "the constructor reaches powers of two");

CpuHash::CpuHash(const GhashKernel& kernel, const std::uint8_t* hash_subkey, int num_threads)
    : kernel_(kernel), num_threads_(num_threads), key_(kernel.key_bytes) {
  kernel_.expand_key(hash_subkey, key_.data());
  if (num_threads == 1) return;
  piece_key_ = SecretBytes(kernel.key_bytes);
  WipedArray<16> power;  // H^(2^k), squared until it is that of a piece
  std::memcpy(power.bytes, hash_subkey, 16);
  for (std::size_t blocks = 1; blocks < piece_blocks; blocks *= 2) square_hash_element(power.bytes);
  kernel_.expand_key(power.bytes, piece_key_.data());
}

/// y = y * (the expanded element): one step of GHASH over a block of zeros.
void CpuHash::multiply(std::uint8_t* y, const SecretBytes& key) const {
  static constexpr std::uint8_t zeros[16] = {};
  kernel_.update(key.data(), y, zeros, 1, nullptr, 0);
}

void CpuHash::update(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) const {
  update_to_end(y, in, num_blocks, nullptr, 0);
}

void CpuHash::update_to_end(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                            std::size_t num_last) const {
  const std::size_t pieces = num_pieces(num_blocks);
  if (pieces != 0) {
    update_pieces(y, pieces, [&](std::size_t i, std::uint8_t* piece_y) {
      kernel_.update(key(), piece_y, in + i * piece_bytes, piece_blocks, nullptr, 0);
    });
    in += pieces * piece_bytes;
    num_blocks -= pieces * piece_blocks;
  }
  kernel_.update(key(), y, in, num_blocks, last, num_last);
}

/// With pieces of m blocks each, y after a piece is y * H^m + (the piece's hash from zero).
void CpuHash::update_pieces(std::uint8_t* y, std::size_t num_pieces,
                            const std::function<void(std::size_t, std::uint8_t*)>& hash_piece) const {
  std::vector<ChainBlock> hashes(num_pieces);
  run_parallel(num_threads_, num_pieces, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) hash_piece(i, hashes[i].data());
  });
  for (const ChainBlock& hash : hashes) {
    multiply(y, piece_key_);
    for (std::size_t i = 0; i < 16; ++i) y[i] ^= hash[i];
  }
  wipe_memory(hashes.data(), hashes.size() * sizeof(ChainBlock));
}

}  // namespace phalanx
