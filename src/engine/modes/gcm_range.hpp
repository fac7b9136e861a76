// GCM over whole blocks (SP 800-38D, section 7.1, steps 3 and 5; 7.2, steps 4 and 6): CTR, and GHASH over the ciphertext, in
// one pass.
//
// Where a core leaves execution units idle (crypt_beside), the hash of a group of blocks stands among rounds: of the next
// group when encrypting, of the same when decrypting. Carry-less multiplications and round instructions depend on nothing of
// each other, and mostly run in different units.
#pragma once

#include "engine/modes/ctr_range.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// The next counter block, as a number.
struct GcmCounter {
  std::uint64_t high;
  std::uint64_t low;

  static PHALANX_INLINE GcmCounter load(const std::uint8_t* block) {
    return {reverse_bytes(load_u64(block)), reverse_bytes(load_u64(block + 8))};
  }
  PHALANX_INLINE void store(std::uint8_t* block) const {
    store_pair(block, Pair64{reverse_bytes(high), reverse_bytes(low)});
  }
  PHALANX_INLINE GcmCounter after(std::size_t num_blocks) const {
    return {high + static_cast<std::uint64_t>(low + num_blocks < low), low + num_blocks};
  }
};

/// True for a core with crypt_beside; the steps of the hash must fit then.
template <class Core, class Hash>
constexpr bool hashes_beside() {
  if constexpr (Core::num_steps_beside != 0) {
    static_assert(Hash::template Stepwise<Core::lanes>::num_steps <= Core::num_steps_beside);
    return true;
  }
  return false;
}

/// Encrypts num_groups groups, 1 at least, and hashes all but the last beside the rounds of the next.
template <class Core, class Hash>
PHALANX_INLINE void gcm_encrypt_groups(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                       GcmCounter counter, typename Hash::BlockType& y, const std::uint8_t* in,
                                       std::uint8_t* out, std::size_t num_groups) {
  constexpr std::size_t group_bytes = Core::lanes * 16;
  Ctr<Core> ctr(schedule, counter.high, counter.low);
  typename Hash::template Stepwise<Core::lanes> hash(hash_key, y);
  ctr.group_by(in, out, WholeGroup<Core>{}, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
    Core::template crypt<Direction::encrypt>(schedule, load, store);
  });
  while (--num_groups != 0) {
    in += group_bytes;
    out += group_bytes;
    const WholeGroup<Core> blocks{(num_groups - 1) * Core::lanes};
    const PrefetchHint ahead = blocks.far_ahead(in, out);
    ctr.group_by(in, out, blocks, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt_beside<Direction::encrypt>(schedule, load, store, [&](int i) PHALANX_INLINE_LAMBDA {
        Core::fetch_line(ahead, i);
        hash.step(i, out - group_bytes);
      });
    });
  }
  y = hash.sum;
}

/// Decrypts and hashes num_groups groups. In place too: a group is hashed before it is overwritten.
template <class Core, class Hash>
PHALANX_INLINE void gcm_decrypt_groups(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                       GcmCounter counter, typename Hash::BlockType& y, const std::uint8_t* in,
                                       std::uint8_t* out, std::size_t num_groups) {
  Ctr<Core> ctr(schedule, counter.high, counter.low);
  typename Hash::template Stepwise<Core::lanes> hash(hash_key, y);
  for (; num_groups != 0; --num_groups) {
    const WholeGroup<Core> blocks{(num_groups - 1) * Core::lanes};
    const PrefetchHint ahead = blocks.far_ahead(in, out);
    ctr.group_by(in, out, blocks, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt_beside<Direction::encrypt>(schedule, load, store, [&](int i) PHALANX_INLINE_LAMBDA {
        Core::fetch_line(ahead, i);
        hash.step(i, in);
      });
    });
    in += Core::lanes * 16;
    out += Core::lanes * 16;
  }
  y = hash.sum;
}

/// gcm_crypt_by has crypted and hashed so many blocks of a range.
template <class Hash>
struct GcmProgress {
  std::size_t crypted;
  std::size_t hashed;
  typename Hash::BlockType y;
};

/// Returns whether the groups of the Narrower core are worth hashing beside others, too. Fewer vectors wait for their
/// own rounds, hash or none.
template <class Core>
constexpr bool narrower_hashes_beside() {
  if constexpr (HasNarrower<Core>) return num_vectors<typename Core::Narrower> >= 4;
  return false;
}
/// From how many blocks on groups are hashed beside others. Few wide groups: what stands before the first hash and after the
/// last rounds has nothing beside it.
template <class Core>
constexpr std::size_t least_groups_beside() {
  return HasNarrower<Core> ? 4 : 2;
}
template <class Core>
constexpr std::size_t least_blocks_beside() {
  if constexpr (narrower_hashes_beside<Core>()) return 2 * Core::Narrower::lanes;
  return least_groups_beside<Core>() * Core::lanes;
}

/// Crypts and hashes the groups of a range. If there are fewer than min_groups, the Narrower core does it, where its
/// groups are worth it.
template <class Core, class Hash, Direction direction>
PHALANX_INLINE GcmProgress<Hash> gcm_crypt_groups(const typename Core::Schedule& schedule,
                                                  const typename Hash::Key& hash_key, GcmCounter counter,
                                                  typename Hash::BlockType y, const std::uint8_t* in, std::uint8_t* out,
                                                  std::size_t num_blocks, std::size_t min_groups) {
  const std::size_t num_groups = num_blocks / Core::lanes;
  if constexpr (narrower_hashes_beside<Core>()) {
    if (num_groups < min_groups) {
      return gcm_crypt_groups<typename Core::Narrower, Hash, direction>(schedule, hash_key, counter, y, in, out, num_blocks,
                                                                        2);
    }
  }
  if constexpr (direction == Direction::encrypt) {
    gcm_encrypt_groups<Core, Hash>(schedule, hash_key, counter, y, in, out, num_groups);
    return {num_groups * Core::lanes, (num_groups - 1) * Core::lanes, y};
  } else {
    gcm_decrypt_groups<Core, Hash>(schedule, hash_key, counter, y, in, out, num_groups);
    return {num_groups * Core::lanes, num_groups * Core::lanes, y};
  }
}
/// Crypts and hashes the groups of a range of least_blocks_beside blocks or more. It is out of line for its frame,
/// which fewer blocks do not need. The counter comes in halves, so that they stay in registers.
template <class Core, class Hash, Direction direction>
__attribute__((noinline)) GcmProgress<Hash> gcm_crypt_by(const typename Core::Schedule& schedule,
                                                         const typename Hash::Key& hash_key, std::uint64_t high,
                                                         std::uint64_t low, typename Hash::BlockType y,
                                                         const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
  return gcm_crypt_groups<Core, Hash, direction>(schedule, hash_key, GcmCounter{high, low}, y, in, out, num_blocks,
                                                 least_groups_beside<Core>());
}

/// This crypts the blocks behind the groups of a range, as a parallel mode (range_modes.hpp). Each vector is hashed as
/// soon as it is ciphertext.
template <class Core, class Hash, Direction direction>
struct GcmRest {
  using CoreType = Core;
  template <class Other>
  using Over = GcmRest<Other, Hash, direction>;
  using Vector = typename Core::Vector;
  struct State {
    GcmCounter counter;
    typename Hash::Sum sum;
  };
  static constexpr std::size_t blocks_per_vector = sizeof(Vector) / 16;

  template <class AnyState>
  PHALANX_INLINE GcmRest(const typename Core::Schedule& schedule_, AnyState* state)
      : ctr(schedule_, state->counter.high, state->counter.low), counter(state->counter), sum(state->sum) {}
  PHALANX_INLINE ~GcmRest() { counter = {ctr.high, ctr.low}; }

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    const auto crypt = [&](auto load, auto store)
                           PHALANX_INLINE_LAMBDA { Core::template crypt<Direction::encrypt>(ctr.schedule, load, store); };
    ctr.group_by(in, out, blocks, crypt, [&](std::size_t i, Vector before, Vector after) PHALANX_INLINE_LAMBDA {
      const std::size_t first = i * blocks_per_vector;
      if (first >= blocks.num_blocks) return;
      if (first + blocks_per_vector <= blocks.num_blocks) {
        return sum.add(direction == Direction::encrypt ? after : before, blocks_per_vector);
      }
      sum.add(direction == Direction::encrypt ? blocks.load(out, i) : before, blocks.num_blocks - first);
    });
  }
  PHALANX_INLINE void block(const std::uint8_t* in, std::uint8_t* out) {
    if constexpr (direction == Direction::decrypt) sum.add_block(in);
    ctr.block(in, out);
    if constexpr (direction == Direction::encrypt) sum.add_block(out);
  }

  Ctr<Core> ctr;
  GcmCounter& counter;
  typename Hash::Sum& sum;
};

/// `serial_blocks` as for crypt_groups. Beyond the text, the hash takes in `last`: 2 blocks at most.
template <class Core, class Hash, Direction direction, class Last>
PHALANX_INLINE typename Hash::BlockType gcm_crypt(const typename Core::Schedule& schedule,
                                                  const typename Hash::Key& hash_key, GcmCounter counter,
                                                  typename Hash::BlockType y, const std::uint8_t* in, std::uint8_t* out,
                                                  std::size_t num_blocks, Last last, std::size_t serial_blocks) {
  static_assert(least_blocks_beside<Core>() + 1 <= Hash::num_powers);
  GcmProgress<Hash> done{0, 0, y};
  if (num_blocks >= least_blocks_beside<Core>()) {
    done = gcm_crypt_by<Core, Hash, direction>(schedule, hash_key, counter.high, counter.low, y, in, out, num_blocks);
    if (num_blocks - done.hashed + last.num_blocks > Hash::num_powers) {
      const std::size_t count = done.crypted - done.hashed;
      done.y = Hash::update(hash_key, done.y, out + 16 * done.hashed, count, typename Hash::InMemory{nullptr, 0});
      done.hashed = done.crypted;
    }
  }
  if (num_blocks - done.hashed + last.num_blocks == 0) return done.y;
  typename GcmRest<Core, Hash, direction>::State state{counter.after(done.crypted),
                                                       {hash_key, done.y, num_blocks - done.hashed, last}};
  state.sum.add(out + 16 * done.hashed, done.crypted - done.hashed);
  crypt_groups<GcmRest<Core, Hash, direction>>(schedule, &state, in + 16 * done.crypted, out + 16 * done.crypted,
                                               num_blocks - done.crypted, serial_blocks);
  return state.sum.reduced();
}

/// Crypts and hashes a range by a core that keeps all units busy itself. It crypts a stretch that stays in the nearest
/// cache, and hashes it while it is there. `ctr` is the mode CTR of this core as a function.
template <class Core, class Hash, Direction direction, class Last, class CtrFunction>
PHALANX_INLINE typename Hash::BlockType gcm_crypt_by_stretches(const typename Hash::Key& hash_key, std::uint8_t* counter,
                                                               typename Hash::BlockType y, const std::uint8_t* in,
                                                               std::uint8_t* out, std::size_t num_blocks, Last last,
                                                               CtrFunction ctr) {
  constexpr std::size_t stretch = (4096 / 16 + Core::lanes - 1) / Core::lanes * Core::lanes;
  const auto crypt = [&](std::size_t count, auto end) PHALANX_INLINE_LAMBDA {
    if (direction == Direction::decrypt) y = Hash::update(hash_key, y, in, count, end);  // first: in place it is overwritten
    ctr(counter, in, out, count);
    if (direction == Direction::encrypt) y = Hash::update(hash_key, y, out, count, end);
  };
  for (; num_blocks > stretch; num_blocks -= stretch) {
    crypt(stretch, typename Hash::InMemory{nullptr, 0});
    in += 16 * stretch;
    out += 16 * stretch;
  }
  crypt(num_blocks, last);
  return y;
}

}  // namespace
}  // namespace phalanx
