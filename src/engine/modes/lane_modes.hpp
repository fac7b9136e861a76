// This runs every mode over as many messages as a core has lanes: lane j holds the next block of message j. So CBC, CFB
// and OFB encryption are parallel. Messages that bring a key each are crypted here, too (range_modes.hpp has the modes
// over one message).
//
// Messages lie anywhere, so their blocks are taken a cache line of each message at a time, and transposed into rows. A
// row holds one block of every lane, as a core wants it. Rows are crypted one by one, and transposed back. Row 0 is the
// chaining state of every lane, which may begin anywhere in a message.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/lanes/block_lines.hpp"
#include "engine/lanes/word_scalar.hpp"
#include "engine/modes/lane_messages.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {
namespace {

/// The counter block after this one (SP 800-38A appendix B.1, m = b).
PHALANX_INLINE Word64 next_counter(Word64 counter) { return {reverse_bytes(reverse_bytes(counter.bits) + 1)}; }
PHALANX_INLINE Block128 next_counter(Block128 counter) {
  const std::uint64_t low = reverse_bytes(counter.half[1]) + 1;
  return {{reverse_bytes(reverse_bytes(counter.half[0]) + (low == 0 ? 1 : 0)), reverse_bytes(low)}};
}

/// The rows of a group, in memory of num_bytes bytes, aligned to 64.
template <class Core>
struct LaneRows {
  using Vector = typename Core::Vector;
  static constexpr std::size_t block_bytes = Core::block_bytes;
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t line_blocks = line_bytes / block_bytes;
  static constexpr std::size_t vector_blocks = sizeof(Vector) / block_bytes;
  static constexpr std::size_t row_bytes = Core::lanes * block_bytes + 64;  // a row of 4 KiB would alias its neighbours
  static constexpr std::size_t num_bytes = (line_blocks + 1) * row_bytes;

  std::uint8_t* memory;

  PHALANX_INLINE std::uint8_t* row(std::size_t i) const { return memory + i * row_bytes; }

  /// The fewest blocks that a lane has.
  static std::size_t least_blocks(const LaneMessages& messages) {
    std::size_t least = messages.num_blocks[0];
    for (std::size_t lane = 1; lane < messages.num_lanes; ++lane) {
      least = messages.num_blocks[lane] < least ? messages.num_blocks[lane] : least;
    }
    return least;
  }

  /// Lines of some of the lanes: `count` blocks, line_blocks at most, after the first `done`. A lane may have fewer.
  struct Lines {
    const LaneMessages& messages;
    std::size_t done;
    std::size_t count;

    PHALANX_INLINE std::size_t num_blocks(std::size_t lane) const {
      if (lane >= messages.num_lanes || messages.num_blocks[lane] <= done) return 0;
      const std::size_t left = messages.num_blocks[lane] - done;
      return left < count ? left : count;
    }
    /// Every one of vector_blocks lanes has a whole line.
    PHALANX_INLINE bool whole(std::size_t lane) const {
      for (std::size_t k = 0; k < vector_blocks; ++k) {
        if (num_blocks(lane + k) != line_blocks) return false;
      }
      return true;
    }
    /// Returns how many bytes there are of the vector that begins with block `first` of the line.
    PHALANX_INLINE std::size_t bytes_in_vector(std::size_t lane, std::size_t first) const {
      const std::size_t blocks = num_blocks(lane);
      return blocks <= first ? 0 : (blocks - first < vector_blocks ? blocks - first : vector_blocks) * block_bytes;
    }
  };

  /// From vector_blocks lines to rows 1 and on.
  template <bool whole>
  PHALANX_INLINE void gather(const Lines& lines, std::size_t lane) const {
    for (std::size_t first = 0; first < line_blocks; first += vector_blocks) {
      Vector x[vector_blocks];
      for (std::size_t k = 0; k < vector_blocks; ++k) {
        const std::uint8_t* in = lines.messages.in[lane + k] + (lines.done + first) * block_bytes;
        x[k] = whole ? Vector::load(in) : Vector::load_first(in, lines.bytes_in_vector(lane + k, first));
      }
      transpose_blocks<block_bytes>(x);
      for (std::size_t k = 0; k < vector_blocks; ++k) x[k].store(row(1 + first + k) + lane * block_bytes);
    }
  }
  /// Takes rows first_row and on back to vector_blocks lines.
  template <bool whole>
  PHALANX_INLINE void scatter(const Lines& lines, std::size_t lane, std::size_t first_row) const {
    for (std::size_t first = 0; first < line_blocks; first += vector_blocks) {
      Vector x[vector_blocks];
      for (std::size_t k = 0; k < vector_blocks; ++k) x[k] = Vector::load(row(first_row + first + k) + lane * block_bytes);
      transpose_blocks<block_bytes>(x);
      for (std::size_t k = 0; k < vector_blocks; ++k) {
        std::uint8_t* out = lines.messages.out[lane + k] + (lines.done + first) * block_bytes;
        if constexpr (whole) {
          x[k].store(out);
        } else {
          x[k].store_first(out, lines.bytes_in_vector(lane + k, first));
        }
      }
    }
  }

  /// Gathers all lanes. No lane has fewer blocks than `least`.
  void gather_all(const Lines& lines, std::size_t least) const {
    const std::size_t num_lanes = lines.messages.num_lanes;
    std::size_t lane = 0;
    if (lines.done + line_blocks <= least && lines.count == line_blocks) {
      for (; lane + vector_blocks <= num_lanes; lane += vector_blocks) gather<true>(lines, lane);
    }
    for (; lane < num_lanes; lane += vector_blocks) {
      lines.whole(lane) ? gather<true>(lines, lane) : gather<false>(lines, lane);
    }
  }
  void scatter_all(const Lines& lines, std::size_t least, std::size_t first_row) const {
    const std::size_t num_lanes = lines.messages.num_lanes;
    std::size_t lane = 0;
    if (lines.done + line_blocks <= least && lines.count == line_blocks) {
      for (; lane + vector_blocks <= num_lanes; lane += vector_blocks) scatter<true>(lines, lane, first_row);
    }
    for (; lane < num_lanes; lane += vector_blocks) {
      lines.whole(lane) ? scatter<true>(lines, lane, first_row) : scatter<false>(lines, lane, first_row);
    }
  }

  /// Asks for the lines after the next `done` blocks of a share of the lanes: share `part` of line_blocks.
  static PHALANX_INLINE void prefetch(const LaneMessages& messages, std::size_t done, std::size_t part) {
    const std::size_t share = (messages.num_lanes + line_blocks - 1) / line_blocks;
    const std::size_t first = part * share;
    const std::size_t end = first + share < messages.num_lanes ? first + share : messages.num_lanes;
    for (std::size_t lane = first; lane < end; ++lane) {
      constexpr int second_level = 2;  // the first is full of rows
      __builtin_prefetch(messages.in[lane] + done * block_bytes, 0, second_level);
      __builtin_prefetch(messages.out[lane] + done * block_bytes, 1, second_level);
    }
  }
};

/// Returns whether the chaining state of a row is the row before it. In such a mode the states are blocks of the
/// messages.
constexpr bool chains_rows(ModeStep step) { return step.next == ChainUpdate::input || step.next == ChainUpdate::output; }

/// One block of every lane, by ModeStep. crypt(load, store) is the core's crypt or crypt_lanes over vectors of type Vector,
/// `chain` is row 0, `previous` the row before `current`, which holds the input. The output goes to `current`, but where the
/// next block needs the input to `previous`.
template <class Vector, Mode mode, Direction direction, class Crypt>
PHALANX_INLINE void crypt_row(std::uint8_t* chain, std::uint8_t* previous, std::uint8_t* current, Crypt crypt) {
  constexpr ModeStep step = step_of(mode, direction);
  const std::uint8_t* const state = chains_rows(step) ? previous : chain;
  std::uint8_t* const target = step.next == ChainUpdate::input ? previous : current;
  const auto at = [](const std::uint8_t* row, std::size_t i)
                      PHALANX_INLINE_LAMBDA { return Vector::load(row + i * sizeof(Vector)); };
  const auto load = [=](std::size_t i) PHALANX_INLINE_LAMBDA {
    if constexpr (!step.takes_input) return at(state, i);
    if constexpr (step.takes_input && step.takes_chain) return at(current, i) ^ at(state, i);
    if constexpr (step.takes_input && !step.takes_chain) return at(current, i);
  };
  const auto store = [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA {
    Vector out = v;
    if constexpr (step.next == ChainUpdate::crypted) v.store(chain + i * sizeof(Vector));
    if constexpr (step.adds_input) out = v ^ at(current, i);
    if constexpr (step.adds_chain) out = v ^ at(state, i);
    out.store(target + i * sizeof(Vector));
  };
  crypt(load, store);
}

/// The chaining states after a row, for the modes whose states do not come from the messages.
template <std::size_t block_bytes, ChainUpdate next>
PHALANX_INLINE void advance_chains(std::uint8_t* chain, std::size_t num_lanes) {
  for (std::size_t lane = 0; lane < num_lanes; ++lane, chain += block_bytes) {
    if constexpr (next == ChainUpdate::tweak) next_tweaks(Block128::load(chain)).store(chain);
    if constexpr (next == ChainUpdate::counter && block_bytes == 8) next_counter(Word64::load(chain)).store(chain);
    if constexpr (next == ChainUpdate::counter && block_bytes == 16) next_counter(Block128::load(chain)).store(chain);
  }
}

/// A vector is one block, and there are few: then blocks come straight from the messages, and go there. (Not so many lanes:
/// messages a multiple of 1 KiB apart share four sets of the first-level cache.)
template <class Core>
inline constexpr bool crypts_in_messages = sizeof(typename Core::Vector) == Core::block_bytes&& Core::lanes <= 8;

/// One block of every lane, a vector each. `kept` is memory for a row.
template <class Vector, Mode mode, Direction direction, class Crypt>
PHALANX_INLINE void crypt_in_messages(std::uint8_t* chain, std::uint8_t* kept, const LaneMessages& messages,
                                      std::size_t offset, Crypt crypt) {
  constexpr ModeStep step = step_of(mode, direction);
  constexpr bool keeps_input = step.next == ChainUpdate::input && step.takes_input;  // the output may overwrite it
  const std::uint8_t* const* const in = messages.in;
  std::uint8_t* const* const out = messages.out;
  const auto at = [](const std::uint8_t* row, std::size_t i)
                      PHALANX_INLINE_LAMBDA { return Vector::load(row + i * sizeof(Vector)); };
  const auto input = [=](std::size_t i) PHALANX_INLINE_LAMBDA { return Vector::load(in[i] + offset); };
  const auto load = [=](std::size_t i) PHALANX_INLINE_LAMBDA {
    if constexpr (!step.takes_input) return at(chain, i);
    const Vector x = input(i);
    if constexpr (keeps_input) x.store(kept + i * sizeof(Vector));
    if constexpr (step.takes_chain) return x ^ at(chain, i);
    return x;
  };
  const auto store = [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA {
    Vector text = v;
    Vector next = v;  // the chaining state, if it comes from the messages
    if constexpr (step.adds_input) {
      const Vector x = input(i);
      text = v ^ x;
      if constexpr (step.next == ChainUpdate::input) next = x;
    }
    if constexpr (step.adds_chain) text = v ^ at(chain, i);
    if constexpr (step.next == ChainUpdate::output) next = text;
    if constexpr (keeps_input) next = at(kept, i);
    if constexpr (chains_rows(step) || step.next == ChainUpdate::crypted) next.store(chain + i * sizeof(Vector));
    text.store(out[i] + offset);
  };
  crypt(load, store);
}

/// Crypts num_steps blocks of every lane, and fewer where a message ends. `Worker` is the core, or a narrower one that
/// has lanes enough. Row 0 of `memory` is each lane's chaining state before and after. If a lane's message ended, this
/// is the state after num_steps for CTR and XTS, and nothing of use for other modes.
template <class Core, class Worker, Mode mode, Direction direction, class Crypt>
PHALANX_INLINE void crypt_lane_rows(std::uint8_t* memory, const LaneMessages& messages, std::size_t num_steps, Crypt crypt) {
  using Vector = typename Worker::Vector;
  const LaneRows<Core> rows{memory};
  constexpr std::size_t line_blocks = LaneRows<Core>::line_blocks;
  constexpr ModeStep step = step_of(mode, direction);
  const std::size_t least = LaneRows<Core>::least_blocks(messages);
  if constexpr (crypts_in_messages<Core>) {
    if (messages.num_lanes == Core::lanes && num_steps <= least) {
      for (std::size_t done = 0; done < num_steps; ++done) {
        crypt_in_messages<Vector, mode, direction>(rows.row(0), rows.row(1), messages, done * Core::block_bytes, crypt);
        advance_chains<Core::block_bytes, step.next>(rows.row(0), messages.num_lanes);
      }
      return;
    }
  }
  constexpr std::size_t first_out = step.next == ChainUpdate::input ? 0 : 1;
  for (std::size_t done = 0; done < num_steps; done += line_blocks) {
    const std::size_t count = num_steps - done < line_blocks ? num_steps - done : line_blocks;
    const typename LaneRows<Core>::Lines lines{messages, done, count};
    rows.gather_all(lines, least);
    for (std::size_t i = 0; i < count; ++i) {
      if (num_steps - done > line_blocks) rows.prefetch(messages, done + line_blocks, i);
      crypt_row<Vector, mode, direction>(rows.row(0), rows.row(i), rows.row(i + 1), crypt);
      advance_chains<Core::block_bytes, step.next>(rows.row(0), messages.num_lanes);
    }
    rows.scatter_all(lines, least, first_out);
    if constexpr (chains_rows(step)) std::memcpy(rows.row(0), rows.row(count), Core::lanes * Core::block_bytes);
  }
}

}  // namespace
}  // namespace phalanx
