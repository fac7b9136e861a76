#include "engines/cpu/cpu_cipher.hpp"

#include <algorithm>
#include <cstring>

#include "engines/cpu/cpu_hash.hpp"
#include "engines/cpu/lane_batch.hpp"
#include "engines/cpu/threads.hpp"
#include "modes/chaining.hpp"

namespace phalanx {

CpuCipher::CpuCipher(const CipherSpec& cipher, const Kernel& kernel, Bytes key, int num_threads)
    : cipher_(cipher), kernel_(kernel), num_threads_(num_threads), key_(kernel.schedule_bytes + max_key_bytes) {
  std::uint8_t* const own_key = key_.data() + kernel.schedule_bytes;
  kernel_key(key, own_key);
  kernel_.expand_key(own_key, kernel_key_bytes(), key_.data());
}

bool CpuCipher::has_two_keys() const {
  return cipher_.family == CipherFamily::des && std::strcmp(cipher_.name, "des-ede") == 0;
}

std::size_t CpuCipher::kernel_key_bytes() const { return has_two_keys() ? 24 : cipher_.key_bytes; }

void CpuCipher::kernel_key(Bytes key, std::uint8_t* out) const {
  if (key.empty()) {
    std::memcpy(out, key_.data() + kernel_.schedule_bytes, kernel_key_bytes());
    return;
  }
  std::memcpy(out, key.data(), cipher_.key_bytes);
  // SP 800-67 keying option 2: K3 = K1; the kernel takes 16 bytes for double DES.
  if (has_two_keys()) std::memcpy(out + 16, key.data(), 8);
}

void CpuCipher::expand_key(Bytes key, void* schedule) const {
  WipedArray<max_key_bytes> whole_key;
  kernel_key(key, whole_key.bytes);
  kernel_.expand_key(whole_key.bytes, kernel_key_bytes(), schedule);
}

void CpuCipher::crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                            std::size_t num_blocks) const {
  crypt_with(schedule(), mode, direction, iv, in, out, num_blocks);
}

void CpuCipher::crypt_with(const void* schedule, Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in,
                           std::uint8_t* out, std::size_t num_blocks) const {
  const RangeFunction run = kernel_.range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  if (num_blocks * kernel_.block_bytes < 2 * piece_bytes || num_threads_ == 1 || !is_divisible(mode, direction)) {
    if (num_blocks != 0) run(schedule, iv, in, out, num_blocks);
    return;
  }
  crypt_pieces(run, schedule, mode, iv, in, out, num_blocks);
}

void CpuCipher::crypt_pieces(RangeFunction run, const void* schedule, Mode mode, std::uint8_t* iv, const std::uint8_t* in,
                             std::uint8_t* out, std::size_t num_blocks) const {
  const std::size_t block_bytes = kernel_.block_bytes;
  const std::size_t groups_in_piece = std::max<std::size_t>(1, piece_bytes / (kernel_.lanes * block_bytes));
  const std::size_t step = groups_in_piece * kernel_.lanes;
  std::vector<ChainBlock> states = chain_at_steps(mode, block_bytes, iv, in, num_blocks, step);
  run_parallel(num_threads_, states.size() - 1, [&](std::size_t first, std::size_t last) {
    ChainBlock state = states[first];
    const std::size_t start = first * step;
    const std::size_t end = std::min(last * step, num_blocks);
    run(schedule, state.data(), in + start * block_bytes, out + start * block_bytes, end - start);
    wipe_memory(state.data(), state.size());
  });
  if (mode != Mode::ecb) std::memcpy(iv, states.back().data(), block_bytes);
  wipe_memory(states.data(), states.size() * sizeof(ChainBlock));
}

void CpuCipher::encrypt_and_hash(const KeyedHash& hash, std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t num_blocks) const {
  encrypt_and_hash_to_end(hash, counter, y, in, out, num_blocks, nullptr, 0);
}

void CpuCipher::encrypt_and_hash_to_end(const KeyedHash& hash, std::uint8_t* counter, std::uint8_t* y,
                                        const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks,
                                        const std::uint8_t* last, std::size_t num_last) const {
  const auto& cpu_hash = static_cast<const CpuHash&>(hash);
  const std::size_t num_pieces = cpu_hash.num_pieces(num_blocks);
  if (num_pieces != 0) {
    cpu_hash.update_pieces(y, num_pieces, [&](std::size_t i, std::uint8_t* piece_y) {
      WipedArray<16> piece_counter;
      std::memcpy(piece_counter.bytes, counter, 16);
      advance_counter(piece_counter.bytes, 16, i * CpuHash::piece_blocks);
      kernel_.gcm_encrypt(schedule(), cpu_hash.key(), piece_counter.bytes, piece_y, in + i * piece_bytes,
                          out + i * piece_bytes, CpuHash::piece_blocks, nullptr, 0);
    });
    advance_counter(counter, 16, num_pieces * CpuHash::piece_blocks);
    in += num_pieces * piece_bytes;
    out += num_pieces * piece_bytes;
    num_blocks -= num_pieces * CpuHash::piece_blocks;
  }
  kernel_.gcm_encrypt(schedule(), cpu_hash.key(), counter, y, in, out, num_blocks, last, num_last);
}

void CpuCipher::crypt_streams(Mode mode, Direction direction, std::span<const Stream> streams) const {
  crypt_batch(*this, mode, direction, streams);
}

}  // namespace phalanx
