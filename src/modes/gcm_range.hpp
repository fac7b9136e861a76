// GCM's encryption of whole blocks (SP 800-38D, section 7.1, steps 3 and 5): CTR, and GHASH over the ciphertext, in one pass.
//
// Where a core leaves execution units idle (crypt_beside), the hash of one group of blocks stands among the rounds of the
// next: carry-less multiplications and round instructions depend on nothing of each other, and mostly run in different units.
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

/// What gcm_encrypt_groups has made of a range.
struct GcmProgress {
  std::size_t encrypted;
  std::size_t hashed;
};

/// The groups of a range of at least min_groups of them.
template <class Core, class Hash>
PHALANX_INLINE GcmProgress gcm_encrypt_by(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                          std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                          std::size_t num_blocks, std::size_t min_groups) {
  if constexpr (hashes_beside<Core, Hash>()) {
    const std::size_t num_groups = num_blocks / Core::lanes;
    if (num_groups >= min_groups) {
      gcm_encrypt_groups<Core, Hash>(schedule, hash_key, counter, y, in, out, num_groups);
      return {num_groups * Core::lanes, (num_groups - 1) * Core::lanes};
    }
  }
  if constexpr (HasNarrower<Core>) {
    return gcm_encrypt_by<typename Core::Narrower, Hash>(schedule, hash_key, counter, y, in, out, num_blocks, 2);
  } else {
    return {0, 0};
  }
}

/// `ctr` is the mode CTR of this core as a function. Beyond the text the hash takes in the blocks `last`.
template <class Core, class Hash, class CtrFunction>
PHALANX_INLINE void gcm_encrypt(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t num_blocks, const std::uint8_t* last, std::size_t num_last, CtrFunction ctr) {
  if constexpr (hashes_beside<Core, Hash>()) {
    // Few wide groups: what stands before the first hash and after the last rounds has nothing beside it.
    constexpr std::size_t min_groups = HasNarrower<Core> ? 4 : 2;
    const GcmProgress done = gcm_encrypt_by<Core, Hash>(schedule, hash_key, counter, y, in, out, num_blocks, min_groups);
    ctr(counter, in + 16 * done.encrypted, out + 16 * done.encrypted, num_blocks - done.encrypted);
    Hash::update(hash_key, y, out + 16 * done.hashed, num_blocks - done.hashed, last, num_last);
  } else {
    constexpr std::size_t stretch = (4096 / 16 + Core::lanes - 1) / Core::lanes * Core::lanes;  // stays in the nearest cache
    for (; num_blocks > stretch; num_blocks -= stretch) {
      ctr(counter, in, out, stretch);
      Hash::update(hash_key, y, out, stretch, nullptr, 0);
      in += 16 * stretch;
      out += 16 * stretch;
    }
    ctr(counter, in, out, num_blocks);
    Hash::update(hash_key, y, out, num_blocks, last, num_last);
  }
}

}  // namespace
}  // namespace phalanx
