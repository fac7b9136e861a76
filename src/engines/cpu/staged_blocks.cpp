#include "engines/cpu/staged_blocks.hpp"

#include <algorithm>
#include <vector>

#include "modes/batch.hpp"

namespace phalanx {
namespace {

class StagedBlocks {
 public:
  StagedBlocks(const CpuCipher& cipher, Mode mode, Direction direction)
      : cipher_(cipher), mode_(mode), direction_(direction), block_bytes_(cipher.kernel().block_bytes) {
    const std::size_t group_bytes = cipher.kernel().lanes * block_bytes_;
    capacity_ = std::max<std::size_t>(1, staging_bytes / group_bytes) * cipher.kernel().lanes;
    blocks_ = SecretBytes(capacity_ * block_bytes_);
    masks_ = SecretBytes(capacity_ * block_bytes_);
  }

  void add(const Stream& stream) {
    for (std::size_t done = 0; done != stream.num_blocks;) {
      const std::size_t count = std::min(capacity_ - used_, stream.num_blocks - done);
      gather(stream.iv, stream.in + done * block_bytes_, count);
      segments_.push_back({stream.out + done * block_bytes_, count});
      used_ += count;
      done += count;
      if (used_ == capacity_) flush();
    }
  }

  void flush() {
    if (used_ == 0) return;
    const Direction direction = cipher_direction(mode_, direction_);
    cipher_.kernel().range[static_cast<unsigned>(Mode::ecb)][static_cast<unsigned>(direction)](
        cipher_.schedule(), nullptr, blocks_.data(), blocks_.data(), used_);
    std::size_t from = 0;
    for (const Segment& segment : segments_) {
      const std::size_t num_bytes = segment.num_blocks * block_bytes_;
      for (std::size_t i = 0; i < num_bytes; i += 8) {
        store_u64(segment.out + i, load_u64(blocks_.data() + from + i) ^ load_u64(masks_.data() + from + i));
      }
      from += num_bytes;
    }
    segments_.clear();
    used_ = 0;
  }

 private:
  /// Both arrays together stay in the first-level cache.
  static constexpr std::size_t staging_bytes = std::size_t{8} << 10;

  struct Segment {
    std::uint8_t* out;
    std::size_t num_blocks;
  };

  void gather(std::uint8_t* iv, const std::uint8_t* in, std::size_t count) {
    if (block_bytes_ == 8) {
      gather_blocks<Word64>(iv, in, count);
    } else {
      gather_blocks<Block128>(iv, in, count);
    }
  }

  template <class Block>
  void gather_blocks(std::uint8_t* iv, const std::uint8_t* in, std::size_t count) {
    with_mode(mode_, direction_, [&]<Mode mode, Direction direction>() {
      Block chain{};
      if (mode != Mode::ecb) chain = Block::load(iv);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = (used_ + i) * sizeof(Block);
        Block mask;
        BlockStep<mode, direction, Block>::before(chain, Block::load(in + i * sizeof(Block)), mask)
            .store(blocks_.data() + place);
        mask.store(masks_.data() + place);
      }
      if (mode != Mode::ecb) chain.store(iv);
    });
  }

  const CpuCipher& cipher_;
  Mode mode_;
  Direction direction_;
  std::size_t block_bytes_;
  std::size_t capacity_ = 0;  ///< blocks; a multiple of the lanes
  std::size_t used_ = 0;
  SecretBytes blocks_;
  SecretBytes masks_;
  std::vector<Segment> segments_;
};

}  // namespace

void crypt_staged(const CpuCipher& cipher, Mode mode, Direction direction, std::span<const Stream> streams) {
  StagedBlocks staged(cipher, mode, direction);
  for (const Stream& stream : streams) {
    if (stream.num_blocks >= cipher.kernel().lanes) {
      cipher.crypt_range(mode, direction, stream.iv, stream.in, stream.out, stream.num_blocks);
    } else {
      staged.add(stream);
    }
  }
  staged.flush();
}

}  // namespace phalanx
