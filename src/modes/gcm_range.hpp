// GCM over whole blocks (SP 800-38D, section 7.1, steps 3 and 5; 7.2, steps 4 and 6): CTR, and GHASH over the ciphertext, in
// one pass.
//
// Where a core leaves execution units idle (crypt_beside), the hash of a group of blocks stands among rounds: of the next
// group when encrypting, of the same when decrypting. Carry-less multiplications and round instructions depend on nothing of
// each other, and mostly run in different units.
#pragma once

#include "modes/ctr_range.hpp"
#include "modes/ghash.hpp"

namespace phalanx {
namespace {

/// True for a core with crypt_beside, if the steps of the hash fit.
template <class Core, class Hash>
constexpr bool hashes_beside() {
  if constexpr (requires { Core::num_steps_beside; }) {
    static_assert(Hash::template Stepwise<Core::lanes>::num_steps <= Core::num_steps_beside);
    return true;
  }
  return false;
}

/// Encrypts num_groups groups, 1 at least, and hashes all but the last beside the rounds of the next.
template <class Core, class Hash>
PHALANX_INLINE void gcm_encrypt_groups(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                       std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                       std::size_t num_groups) {
  constexpr std::size_t group_bytes = Core::lanes * 16;
  Ctr<Core> ctr(schedule, counter);
  typename Hash::template Stepwise<Core::lanes> hash(hash_key, y);
  ctr.group_by(in, out, WholeGroup<Core>{}, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
    Core::template crypt<Direction::encrypt>(schedule, load, store);
  });
  while (--num_groups != 0) {
    in += group_bytes;
    out += group_bytes;
    const WholeGroup<Core> blocks{(num_groups - 1) * Core::lanes};
    const Ahead ahead = blocks.far_ahead(in, out);
    ctr.group_by(in, out, blocks, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt_beside<Direction::encrypt>(schedule, load, store, [&](int i) PHALANX_INLINE_LAMBDA {
        Core::fetch_line(ahead, i);
        hash.step(i, out - group_bytes);
      });
    });
  }
  hash.store(y);
}

/// Decrypts and hashes num_groups groups. In place too: a group is hashed before it is overwritten.
template <class Core, class Hash>
PHALANX_INLINE void gcm_decrypt_groups(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                       std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                       std::size_t num_groups) {
  Ctr<Core> ctr(schedule, counter);
  typename Hash::template Stepwise<Core::lanes> hash(hash_key, y);
  for (; num_groups != 0; --num_groups) {
    const WholeGroup<Core> blocks{(num_groups - 1) * Core::lanes};
    const Ahead ahead = blocks.far_ahead(in, out);
    ctr.group_by(in, out, blocks, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt_beside<Direction::encrypt>(schedule, load, store, [&](int i) PHALANX_INLINE_LAMBDA {
        Core::fetch_line(ahead, i);
        hash.step(i, in);
      });
    });
    in += Core::lanes * 16;
    out += Core::lanes * 16;
  }
  hash.store(y);
}

/// What gcm_encrypt_groups or gcm_decrypt_groups has made of a range.
struct GcmProgress {
  std::size_t crypted;
  std::size_t hashed;
};

/// The groups of a range of at least min_groups of them.
template <class Core, class Hash, Direction direction>
PHALANX_INLINE GcmProgress gcm_crypt_by(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                        std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                        std::size_t num_blocks, std::size_t min_groups) {
  if constexpr (hashes_beside<Core, Hash>()) {
    const std::size_t num_groups = num_blocks / Core::lanes;
    if (num_groups >= min_groups) {
      if constexpr (direction == Direction::encrypt) {
        gcm_encrypt_groups<Core, Hash>(schedule, hash_key, counter, y, in, out, num_groups);
        return {num_groups * Core::lanes, (num_groups - 1) * Core::lanes};
      }
      gcm_decrypt_groups<Core, Hash>(schedule, hash_key, counter, y, in, out, num_groups);
      return {num_groups * Core::lanes, num_groups * Core::lanes};
    }
  }
  if constexpr (HasNarrower<Core>) {
    if constexpr (num_vectors<typename Core::Narrower> >= 4) {  // fewer wait for their own rounds, hash or none
      return gcm_crypt_by<typename Core::Narrower, Hash, direction>(schedule, hash_key, counter, y, in, out, num_blocks, 2);
    }
  }
  return {0, 0};
}

/// The rest of a range: `ctr` crypts it, and `hash(from, num_blocks, num_last)` takes the ciphertext and then what follows
/// the text.
template <Direction direction, class CtrFunction, class HashFunction>
PHALANX_INLINE void gcm_in_two_steps(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                                     std::size_t num_blocks, std::size_t num_last, CtrFunction ctr, HashFunction hash) {
  if constexpr (direction == Direction::decrypt) hash(in, num_blocks, num_last);  // first: in place it is overwritten
  ctr(counter, in, out, num_blocks);
  if constexpr (direction == Direction::encrypt) hash(out, num_blocks, num_last);
}

/// `ctr` is the mode CTR of this core as a function. Beyond the text the hash takes in the blocks `last`.
template <class Core, class Hash, Direction direction, class CtrFunction>
PHALANX_INLINE void gcm_crypt(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                              std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t num_blocks, const std::uint8_t* last, std::size_t num_last, CtrFunction ctr) {
  const auto hash = [&](const std::uint8_t* text, std::size_t num_text, std::size_t num_end)
                        PHALANX_INLINE_LAMBDA { Hash::update(hash_key, y, text, num_text, last, num_end); };
  if constexpr (hashes_beside<Core, Hash>()) {
    // Few wide groups: what stands before the first hash and after the last rounds has nothing beside it.
    constexpr std::size_t min_groups = HasNarrower<Core> ? 4 : 2;
    const GcmProgress done =
        gcm_crypt_by<Core, Hash, direction>(schedule, hash_key, counter, y, in, out, num_blocks, min_groups);
    if constexpr (direction == Direction::encrypt) {
      ctr(counter, in + 16 * done.crypted, out + 16 * done.crypted, num_blocks - done.crypted);
      hash(out + 16 * done.hashed, num_blocks - done.hashed, num_last);
    } else {
      gcm_in_two_steps<direction>(counter, in + 16 * done.crypted, out + 16 * done.crypted, num_blocks - done.crypted,
                                  num_last, ctr, hash);
    }
  } else {
    constexpr std::size_t stretch = (4096 / 16 + Core::lanes - 1) / Core::lanes * Core::lanes;  // stays in the nearest cache
    for (; num_blocks > stretch; num_blocks -= stretch) {
      gcm_in_two_steps<direction>(counter, in, out, stretch, 0, ctr, hash);
      in += 16 * stretch;
      out += 16 * stretch;
    }
    gcm_in_two_steps<direction>(counter, in, out, num_blocks, num_last, ctr, hash);
  }
}

}  // namespace
}  // namespace phalanx
