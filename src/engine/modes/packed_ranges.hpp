// This crypts many messages under one key in a mode whose blocks are independent (range_modes.hpp). The blocks of each
// message behind its whole groups are packed with those of the next ones, so that short messages fill the lanes, too.
#pragma once

#include "engine/modes/ctr_range.hpp"
#include "engine/modes/lane_messages.hpp"
#include "engine/modes/lane_modes.hpp"
#include "engine/modes/range_modes.hpp"
#include "engine/modes/xts_range.hpp"

namespace phalanx {
namespace {

/// A group of blocks on their way into the cipher, and for each block a mask that is XORed to what comes out.
template <class Core>
struct alignas(64) JoinedGroup {
  static constexpr std::size_t group_bytes = Core::lanes * Core::block_bytes;
  static constexpr std::size_t slack_bytes = 64;  // copies end in whole vectors; also keeps block and mask from aliasing
  std::uint8_t blocks[group_bytes + slack_bytes];
  std::uint8_t masks[group_bytes + slack_bytes];
};

/// ECB over the blocks of a JoinedGroup in place, with their masks; a mode as range_modes.hpp has them.
template <class Core, Direction direction, std::size_t mask_distance>
struct MaskedEcb {
  using CoreType = Core;
  template <class Other>
  using Over = MaskedEcb<Other, direction, mask_distance>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    using Vector = typename Core::Vector;
    Core::template crypt<direction>(
        schedule, [=](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load(in, i); },
        [=](std::size_t i, Vector v)
            PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ blocks.load(in + mask_distance, i)); });
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    Core::template crypt_block<direction>(schedule, in, out);
    xor_bytes<Core::block_bytes>(out, out, in + mask_distance);
  }
};

template <class Core, Mode mode, Direction direction>
struct RangeMode;
template <class Core, Direction direction>
struct RangeMode<Core, Mode::ecb, direction> {
  using Type = Ecb<Core, direction>;
};
template <class Core>
struct RangeMode<Core, Mode::cbc, Direction::decrypt> {
  using Type = CbcDecrypt<Core>;
};
template <class Core>
struct RangeMode<Core, Mode::cfb, Direction::decrypt> {
  using Type = CfbDecrypt<Core>;
};
template <class Core, Direction direction>
struct RangeMode<Core, Mode::ctr, direction> {
  using Type = Ctr<Core>;
};
template <class Core, Direction direction>
struct RangeMode<Core, Mode::xts, direction> {
  using Type = Xts<Core, direction>;
};

template <class Core, Mode mode, Direction direction>
class PackedRanges {
 public:
  PackedRanges(const typename Core::Schedule& schedule, std::size_t serial_blocks)
      : schedule_(schedule), serial_blocks_(serial_blocks) {}
  ~PackedRanges() { wipe(&group_, sizeof group_); }

  void add(const MessageBlocks& message) {
    const std::size_t whole = message.num_blocks - message.num_blocks % Core::lanes;
    if (whole != 0) crypt_groups<Range>(schedule_, message.iv, message.in, message.out, whole, serial_blocks_);
    for (std::size_t done = whole; done != message.num_blocks;) {
      const std::size_t left = message.num_blocks - done;
      const std::size_t count = left < Core::lanes - used_ ? left : Core::lanes - used_;
      take(message.iv, message.in + done * block_bytes, count);
      segments_[num_segments_++] = {message.out + done * block_bytes, count * block_bytes};
      used_ += count;
      done += count;
      if (used_ == Core::lanes) flush();
    }
  }

  void flush() {
    if (used_ == 0) return;
    crypt_groups<Joined>(schedule_, nullptr, group_.blocks, group_.blocks, used_, serial_blocks_);
    const std::uint8_t* from = group_.blocks;
    for (std::size_t i = 0; i < num_segments_; ++i) {
      copy_out(segments_[i].out, from, segments_[i].num_bytes);
      from += segments_[i].num_bytes;
    }
    num_segments_ = 0;
    used_ = 0;
  }

 private:
  using Vector = typename Core::Vector;
  using Range = typename RangeMode<Core, mode, direction>::Type;
  static constexpr std::size_t block_bytes = Core::block_bytes;
  static constexpr ModeStep step = step_of(mode, direction);
  static constexpr Direction way = step.cipher_direction;
  static constexpr std::size_t mask_distance = sizeof(JoinedGroup<Core>::blocks);
  template <bool masked, class Unused = void>
  struct JoinedMode {
    using Type = MaskedEcb<Core, way, mask_distance>;
  };
  template <class Unused>
  struct JoinedMode<false, Unused> {
    using Type = Ecb<Core, way>;
  };
  using Joined = typename JoinedMode<step.has_chain()>::Type;

  struct Segment {
    std::uint8_t* out;
    std::size_t num_bytes;
  };

  /// To the group, which has room for a vector behind its end.
  static PHALANX_INLINE void copy_in(std::uint8_t* to, const std::uint8_t* from, std::size_t num_bytes) {
    std::size_t i = 0;
    for (; i + sizeof(Vector) <= num_bytes; i += sizeof(Vector)) Vector::load(from + i).store(to + i);
    if (i != num_bytes) Vector::load_first(from + i, num_bytes - i).store(to + i);
  }
  static PHALANX_INLINE void copy_out(std::uint8_t* to, const std::uint8_t* from, std::size_t num_bytes) {
    std::size_t i = 0;
    for (; i + sizeof(Vector) <= num_bytes; i += sizeof(Vector)) Vector::load(from + i).store(to + i);
    if (i != num_bytes) Vector::load(from + i).store_first(to + i, num_bytes - i);
  }

  /// Puts the next `count` blocks, 1 at least, into the group and moves the chaining state on.
  void take(std::uint8_t* iv, const std::uint8_t* in, std::size_t count) {
    std::uint8_t* const blocks = group_.blocks + used_ * block_bytes;
    std::uint8_t* const masks = group_.masks + used_ * block_bytes;
    const std::size_t num_bytes = count * block_bytes;
    if constexpr (step.takes_input && !step.takes_chain) copy_in(blocks, in, num_bytes);
    if constexpr (step.adds_input) copy_in(masks, in, num_bytes);
    if constexpr (step.next == ChainUpdate::input) {  // the preceding ciphertext block: what goes into the cipher, or a mask
      std::uint8_t* const preceding = step.takes_chain ? blocks : masks;
      std::memcpy(preceding, iv, block_bytes);
      copy_in(preceding + block_bytes, in, num_bytes - block_bytes);
      std::memcpy(iv, in + num_bytes - block_bytes, block_bytes);
    }
    if constexpr (step.next == ChainUpdate::counter) write_counters(iv, blocks, count);
    if constexpr (step.next == ChainUpdate::tweak) {
      write_tweaks(iv, masks, count);
      for (std::size_t i = 0; i < num_bytes; i += 16) xor_bytes<16>(blocks + i, masks + i, in + i);
    }
  }
  static void write_counters(std::uint8_t* iv, std::uint8_t* blocks, std::size_t count) {
    const std::uint64_t low = reverse_bytes(load_u64(iv + block_bytes - 8));
    if constexpr (block_bytes == 8) {
      for (std::size_t i = 0; i < count; ++i) store_u64(blocks + 8 * i, reverse_bytes(low + i));
      store_u64(iv, reverse_bytes(low + count));
    } else {
      const std::uint64_t high = reverse_bytes(load_u64(iv));
      for (std::size_t i = 0; i < count; ++i) {
        store_pair(blocks + 16 * i, Pair64{reverse_bytes(high + (low + i < low ? 1 : 0)), reverse_bytes(low + i)});
      }
      store_pair(iv, Pair64{reverse_bytes(high + (low + count < low ? 1 : 0)), reverse_bytes(low + count)});
    }
  }
  static void write_tweaks(std::uint8_t* iv, std::uint8_t* masks, std::size_t count) {
    Tweak tweak = Tweak::load(iv);
    for (std::size_t i = 0; i < count; ++i, tweak = tweak.next()) store_pair(masks + 16 * i, tweak.pair());
    store_pair(iv, tweak.pair());
  }

  const typename Core::Schedule& schedule_;
  std::size_t serial_blocks_;
  std::size_t used_ = 0;
  std::size_t num_segments_ = 0;
  JoinedGroup<Core> group_;
  Segment segments_[Core::lanes];
};

}  // namespace
}  // namespace phalanx
