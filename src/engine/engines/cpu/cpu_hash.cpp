#include "engine/engines/cpu/cpu_hash.hpp"

#include <cstring>
#include <vector>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {

static_assert((CpuHash::share_blocks & (CpuHash::share_blocks - 1)) == 0, "the constructor reaches powers of two");

CpuHash::CpuHash(const GhashKernel& kernel, const std::uint8_t* hash_subkey, int num_threads)
    : kernel_(kernel), num_threads_(num_threads), key_(kernel.key_bytes) {
  kernel_.expand_key(hash_subkey, key_.data());
  if (num_threads == 1) return;
  share_key_ = SecretBytes(kernel.key_bytes);
  WipedArray<16> power;  // H^(2^k), squared until it is that of a share
  std::memcpy(power.bytes, hash_subkey, 16);
  for (std::size_t blocks = 1; blocks < share_blocks; blocks *= 2) square_hash_element(power.bytes);
  kernel_.expand_key(power.bytes, share_key_.data());
}

// y = y * (the expanded element): one step of GHASH over a block of zeros.
void CpuHash::multiply(std::uint8_t* y, const SecretBytes& key) const {
  static constexpr std::uint8_t zeros[16] = {};
  kernel_.update(key.data(), y, zeros, 1, nullptr, 0);
}

void CpuHash::update(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) const {
  update_to_end(y, in, num_blocks, nullptr, 0);
}

void CpuHash::update_to_end(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                            std::size_t num_last) const {
  const std::size_t shares = num_shares(num_blocks);
  if (shares != 0) {
    update_shares(y, shares, [&](std::size_t i, std::uint8_t* share_y) {
      kernel_.update(key(), share_y, in + i * share_bytes, share_blocks, nullptr, 0);
    });
    in += shares * share_bytes;
    num_blocks -= shares * share_blocks;
  }
  kernel_.update(key(), y, in, num_blocks, last, num_last);
}

// y * H^num_blocks + part_y: section 6.4 is a polynomial in H. The exponent is public.
void CpuHash::join(std::uint8_t* y, const std::uint8_t* part_y, std::size_t num_blocks) const {
  SecretBytes key(kernel_.key_bytes);
  WipedArray<16> power;   // H^(2^k) for bit k
  power.bytes[0] = 0x80;  // 1
  multiply(power.bytes, key_);
  for (; num_blocks != 0; num_blocks /= 2) {
    if (num_blocks % 2 != 0) {
      kernel_.expand_key(power.bytes, key.data());
      multiply(y, key);
    }
    square_hash_element(power.bytes);
  }
  xor_block(y, y, part_y);
}

// With shares of m blocks each, y after a share is y * H^m + (the share's hash from zero).
void CpuHash::update_shares(std::uint8_t* y, std::size_t num_shares,
                            const std::function<void(std::size_t, std::uint8_t*)>& hash_share) const {
  std::vector<ChainBlock> hashes(num_shares);
  run_parallel(num_threads_, num_shares, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) hash_share(i, hashes[i].data());
  });
  for (const ChainBlock& hash : hashes) {
    multiply(y, share_key_);
    xor_block(y, y, hash.data());
  }
  wipe_memory(hashes.data(), hashes.size() * sizeof(ChainBlock));
}

}  // namespace phalanx
