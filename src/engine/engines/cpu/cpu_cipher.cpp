#include "engine/engines/cpu/cpu_cipher.hpp"

#include <algorithm>
#include <cstring>

#include "engine/modes/chaining.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {

CpuCipher::CpuCipher(const CipherSpec& cipher, const Kernel& kernel, Bytes key, int num_threads)
    : cipher_(cipher),
      kernel_(kernel),
      num_threads_(num_threads),
      least_shared_blocks_(num_threads == 1 ? SIZE_MAX : 2 * share_bytes / kernel.block_bytes),
      key_(kernel.schedule_bytes + max_key_bytes) {
  std::memcpy(key_.data() + kernel.schedule_bytes, key.data(), cipher.key_bytes);
  expand_key({}, key_.data());
}

const std::uint8_t* CpuCipher::kernel_key_part(Bytes key, std::size_t part) const {
  const std::uint8_t* const bytes = key.empty() ? this->key().data() : key.data();
  return bytes + place_in_key(cipher_, 8 * part);
}

void CpuCipher::expand_key(Bytes key, void* schedule) const {
  WipedArray<max_key_bytes> kernel_key;
  for (std::size_t i = 0; 8 * i < kernel_key_bytes(); ++i) std::memcpy(kernel_key.bytes + 8 * i, kernel_key_part(key, i), 8);
  kernel_.expand_key(kernel_key.bytes, kernel_key_bytes(), schedule);
}

void CpuCipher::crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                            std::size_t num_blocks) const {
  crypt_with(schedule(), mode, direction, iv, in, out, num_blocks);
}

void CpuCipher::crypt_with(const void* schedule, Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in,
                           std::uint8_t* out, std::size_t num_blocks) const {
  if (num_blocks == 0) return;
  if (num_blocks >= least_shared_blocks_ && is_divisible(mode, direction)) {
    return crypt_in_shares(schedule, mode, direction, iv, in, out, num_blocks);
  }
  range_function(mode, direction)(schedule, iv, in, out, num_blocks);
}

void CpuCipher::crypt_in_shares(const void* schedule, Mode mode, Direction direction, std::uint8_t* iv,
                                const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) const {
  const RangeFunction run = range_function(mode, direction);
  const std::size_t block_bytes = kernel_.block_bytes;
  const std::size_t step = blocks_in_share(num_blocks);
  const std::size_t num_shares = (num_blocks + step - 1) / step;
  // The state before each share, and after the last. CBC and CFB take it from ciphertext that is about to be overwritten.
  const bool from_input = step_of(mode, direction).next == ChainUpdate::input;
  const std::vector<ChainBlock> states =
      from_input ? chain_at_steps(mode, block_bytes, iv, in, num_blocks, step) : std::vector<ChainBlock>{};
  const auto state_before = [&](std::size_t block, std::uint8_t* state) {
    if (from_input) {
      std::memcpy(state, states[(block + step - 1) / step].data(), block_bytes);
    } else if (mode != Mode::ecb) {
      std::memcpy(state, iv, block_bytes);
      advance_chain(mode, block_bytes, state, block);
    }
  };
  run_parallel(num_threads_, num_shares, [&](std::size_t first, std::size_t last) {
    WipedArray<16> state;
    const std::size_t start = first * step;
    const std::size_t end = std::min(last * step, num_blocks);
    state_before(start, state.bytes);
    run(schedule, state.bytes, in + start * block_bytes, out + start * block_bytes, end - start);
  });
  WipedArray<16> last;
  state_before(num_blocks, last.bytes);
  if (mode != Mode::ecb) std::memcpy(iv, last.bytes, block_bytes);
}

// Whole groups. Large messages get larger shares, each worth much more than handing it out, and yet enough of them that no
// thread waits long for the last one.
std::size_t CpuCipher::blocks_in_share(std::size_t num_blocks) const {
  constexpr std::size_t shares_per_thread = 64;
  const auto num_shares = shares_per_thread * static_cast<std::size_t>(thread_count(num_threads_));
  const std::size_t wanted = num_blocks * kernel_.block_bytes / num_shares;
  const std::size_t bytes = std::clamp(wanted, share_bytes, 8 * share_bytes);
  return std::max<std::size_t>(1, bytes / (kernel_.lanes * kernel_.block_bytes)) * kernel_.lanes;
}

}  // namespace phalanx
