// Every mode over as many messages as a core has lanes: lane j holds the next block of message j. This is what makes CBC, CFB
// and OFB encryption parallel, and what crypts messages that bring a key each (range_modes.hpp has the modes over one message).
//
// Messages lie anywhere, so their blocks are taken a cache line of each message at a time, transposed into rows (a row holds
// one block of every lane, as a core wants it), crypted row by row, and transposed back. Row 0 is the chaining state of every
// lane; it may begin anywhere in a message.
#pragma once

#include "ciphers/block_core.hpp"
#include "ciphers/direction.hpp"
#include "ciphers/mode.hpp"
#include "lanes/block_lines.hpp"
#include "lanes/word_scalar.hpp"
#include "modes/lane_messages.hpp"

namespace phalanx {
namespace {

/// Which way the block cipher itself runs.
constexpr Direction cipher_direction(Mode mode, Direction direction) {
  return mode == Mode::ctr || mode == Mode::cfb || mode == Mode::ofb ? Direction::encrypt : direction;
}

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

  /// Of a lane's num_blocks blocks, how many of the `count` after the first `done` exist.
  static PHALANX_INLINE std::size_t blocks_there(std::size_t num_blocks, std::size_t done, std::size_t count) {
    if (num_blocks <= done) return 0;
    return num_blocks - done < count ? num_blocks - done : count;
  }
  static PHALANX_INLINE std::size_t bytes_in_vector(std::size_t blocks, std::size_t first) {
    return blocks <= first ? 0 : (blocks - first < vector_blocks ? blocks - first : vector_blocks) * block_bytes;
  }

  /// Calls visit(first_lane, whole, blocks) for every vector_blocks lanes: blocks[k] is how many of the `count` blocks after the
  /// first `done` lane first_lane + k has; `whole`: each has a whole line.
  template <class Visit>
  static PHALANX_INLINE void for_lanes(const LaneMessages& messages, std::size_t done, std::size_t count, Visit visit) {
    for (std::size_t lane = 0; lane < messages.num_lanes; lane += vector_blocks) {
      std::size_t blocks[vector_blocks];
      bool whole = true;
      for (std::size_t k = 0; k < vector_blocks; ++k) {
        const bool used = lane + k < messages.num_lanes;
        blocks[k] = used ? blocks_there(messages.num_blocks[lane + k], done, count) : 0;
        whole = whole && blocks[k] == line_blocks;
      }
      visit(lane, whole, blocks);
    }
  }

  /// Row 1 + i takes block done + i of every lane that has it, for `count` rows.
  void gather(const LaneMessages& messages, std::size_t done, std::size_t count) const {
    for_lanes(messages, done, count, [&](std::size_t lane, bool whole, const std::size_t* blocks) PHALANX_INLINE_LAMBDA {
      for (std::size_t first = 0; first < line_blocks; first += vector_blocks) {
        Vector x[vector_blocks];
        for (std::size_t k = 0; k < vector_blocks; ++k) {
          const std::uint8_t* in = messages.in[lane + k] + (done + first) * block_bytes;
          x[k] = whole ? Vector::load(in) : Vector::load_first(in, bytes_in_vector(blocks[k], first));
        }
        transpose_blocks<block_bytes>(x);
        for (std::size_t k = 0; k < vector_blocks; ++k) x[k].store(row(1 + first + k) + lane * block_bytes);
      }
    });
  }
  /// The way back, from rows first_row on.
  void scatter(const LaneMessages& messages, std::size_t done, std::size_t count, std::size_t first_row) const {
    for_lanes(messages, done, count, [&](std::size_t lane, bool whole, const std::size_t* blocks) PHALANX_INLINE_LAMBDA {
      for (std::size_t first = 0; first < line_blocks; first += vector_blocks) {
        Vector x[vector_blocks];
        for (std::size_t k = 0; k < vector_blocks; ++k) {
          x[k] = Vector::load(row(first_row + first + k) + lane * block_bytes);
        }
        transpose_blocks<block_bytes>(x);
        for (std::size_t k = 0; k < vector_blocks; ++k) {
          std::uint8_t* out = messages.out[lane + k] + (done + first) * block_bytes;
          if (whole) {
            x[k].store(out);
          } else {
            x[k].store_first(out, bytes_in_vector(blocks[k], first));
          }
        }
      }
    });
  }

  /// Asks for the lines after the next `done` blocks of a share of the lanes: share `part` of line_blocks.
  static PHALANX_INLINE void prefetch(const LaneMessages& messages, std::size_t done, std::size_t part) {
    const std::size_t share = (messages.num_lanes + line_blocks - 1) / line_blocks;
    const std::size_t first = part * share;
    const std::size_t end = first + share < messages.num_lanes ? first + share : messages.num_lanes;
    for (std::size_t lane = first; lane < end; ++lane) {
      __builtin_prefetch(messages.in[lane] + done * block_bytes);
      __builtin_prefetch(messages.out[lane] + done * block_bytes, 1);
    }
  }
};

/// One block of every lane. crypt(load, store) is the core's crypt or crypt_lanes over vectors of type Vector, `chain` is row 0,
/// `previous` the row before `current`, which holds the input. The output goes to `current`, but in CBC and CFB decryption,
/// where the next block needs the input, to `previous`.
template <class Vector, Mode mode, Direction direction, class Crypt>
PHALANX_INLINE void crypt_row(std::uint8_t* chain, std::uint8_t* previous, std::uint8_t* current, Crypt crypt) {
  constexpr bool encrypts = direction == Direction::encrypt;
  std::uint8_t* const target = !encrypts && (mode == Mode::cbc || mode == Mode::cfb) ? previous : current;
  const auto at = [](const std::uint8_t* row, std::size_t i)
                      PHALANX_INLINE_LAMBDA { return Vector::load(row + i * sizeof(Vector)); };
  const auto load = [=](std::size_t i) PHALANX_INLINE_LAMBDA {
    if constexpr (mode == Mode::cbc && encrypts) return at(current, i) ^ at(previous, i);
    if constexpr (mode == Mode::xts) return at(current, i) ^ at(chain, i);
    if constexpr (mode == Mode::cfb) return at(previous, i);
    if constexpr (mode == Mode::ctr || mode == Mode::ofb) return at(chain, i);
    if constexpr (mode == Mode::ecb || (mode == Mode::cbc && !encrypts)) return at(current, i);
  };
  const auto store = [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA {
    Vector out = v;
    if constexpr (mode == Mode::ofb) v.store(chain + i * sizeof(Vector));
    if constexpr (mode == Mode::cfb || mode == Mode::ctr || mode == Mode::ofb) out = v ^ at(current, i);
    if constexpr (mode == Mode::cbc && !encrypts) out = v ^ at(previous, i);
    if constexpr (mode == Mode::xts) out = v ^ at(chain, i);
    out.store(target + i * sizeof(Vector));
  };
  crypt(load, store);
}

/// The chaining states after a row, for the modes whose states do not come from the messages.
template <std::size_t block_bytes, Mode mode>
PHALANX_INLINE void advance_chains(std::uint8_t* chain, std::size_t num_lanes) {
  for (std::size_t lane = 0; lane < num_lanes; ++lane, chain += block_bytes) {
    if constexpr (mode == Mode::xts) next_tweaks(Block128::load(chain)).store(chain);
    if constexpr (mode == Mode::ctr && block_bytes == 8) next_counter(Word64::load(chain)).store(chain);
    if constexpr (mode == Mode::ctr && block_bytes == 16) next_counter(Block128::load(chain)).store(chain);
  }
}

/// Crypts num_steps blocks of every lane, fewer where a message ends. Row 0 of `memory` is each lane's chaining state before and
/// after; of a lane whose message ended it is that after num_steps for CTR and XTS, and else nothing of use.
template <class Core, Mode mode, Direction direction, class Vector, class Crypt>
PHALANX_INLINE void crypt_lane_rows(std::uint8_t* memory, const LaneMessages& messages, std::size_t num_steps, Crypt crypt) {
  const LaneRows<Core> rows{memory};
  constexpr std::size_t line_blocks = LaneRows<Core>::line_blocks;
  constexpr bool chained = mode == Mode::cbc || mode == Mode::cfb;
  constexpr std::size_t first_out = chained && direction == Direction::decrypt ? 0 : 1;
  for (std::size_t done = 0; done < num_steps; done += line_blocks) {
    const std::size_t count = num_steps - done < line_blocks ? num_steps - done : line_blocks;
    rows.gather(messages, done, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (num_steps - done > line_blocks) rows.prefetch(messages, done + line_blocks, i);
      crypt_row<Vector, mode, direction>(rows.row(0), rows.row(i), rows.row(i + 1), crypt);
      advance_chains<Core::block_bytes, mode>(rows.row(0), messages.num_lanes);
    }
    rows.scatter(messages, done, count, first_out);
    if constexpr (chained) std::memcpy(rows.row(0), rows.row(count), Core::lanes * Core::block_bytes);
  }
}

}  // namespace
}  // namespace phalanx
