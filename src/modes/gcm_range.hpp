// GCM's encryption of whole blocks (SP 800-38D, section 7.1, steps 3 and 5): CTR, and GHASH over the ciphertext, in one pass.
//
// Where a core leaves execution units idle (crypt_beside), the hash of one group of blocks stands among the rounds of the
// next: carry-less multiplications and round instructions depend on nothing of each other, and mostly run in different units.
#pragma once

#include "modes/ctr_range.hpp"
#include "modes/ghash.hpp"

namespace phalanx {
namespace {

/// True for a core with crypt_beside, if the hash's group is the core's.
template <class Core, class Hash>
constexpr bool hashes_beside() {
  if constexpr (requires { Core::num_steps_beside; }) {
    static_assert(Core::lanes == Hash::num_group_blocks && Core::num_steps_beside == Hash::Stepwise::num_steps);
    return true;
  }
  return false;
}

/// Encrypts whole groups, and meanwhile hashes each group that precedes one: the first lies before `out`, the last of those
/// encrypted is still to be hashed.
template <class Core, class Hash>
PHALANX_INLINE void encrypt_and_hash_before(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                            std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in,
                                            std::uint8_t* out, std::size_t num_groups) {
  constexpr std::size_t group_bytes = Core::lanes * 16;
  Ctr<Core> ctr(schedule, counter);
  typename Hash::Stepwise hash(hash_key, y);
  for (; num_groups != 0; --num_groups) {
    ctr.group_by(in, out, WholeGroup<Core>{}, [&](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt_beside<Direction::encrypt>(schedule, load, store,
                                                      [&](int i) PHALANX_INLINE_LAMBDA { hash.step(i, out - group_bytes); });
    });
    in += group_bytes;
    out += group_bytes;
  }
  hash.store(y);
}

/// `ctr` is the mode CTR of this core as a function.
template <class Core, class Hash, class CtrFunction>
PHALANX_INLINE void gcm_encrypt(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t num_blocks, CtrFunction ctr) {
  if constexpr (hashes_beside<Core, Hash>()) {
    if (num_blocks >= 2 * Core::lanes) {
      ctr(counter, in, out, Core::lanes);
      const std::size_t num_groups = num_blocks / Core::lanes - 1;
      const std::size_t num_bytes = num_groups * Core::lanes * 16;
      encrypt_and_hash_before<Core, Hash>(schedule, hash_key, counter, y, in + Core::lanes * 16, out + Core::lanes * 16,
                                          num_groups);
      const std::size_t rest = num_blocks % Core::lanes;
      in += num_bytes;
      out += num_bytes;
      ctr(counter, in + Core::lanes * 16, out + Core::lanes * 16, rest);
      Hash::update(hash_key, y, out, Core::lanes + rest);
      return;
    }
  }
  constexpr std::size_t stretch = (4096 / 16 + Core::lanes - 1) / Core::lanes * Core::lanes;  // stays in the nearest cache
  while (num_blocks != 0) {
    const std::size_t count = num_blocks < stretch ? num_blocks : stretch;
    ctr(counter, in, out, count);
    Hash::update(hash_key, y, out, count);
    in += 16 * count;
    out += 16 * count;
    num_blocks -= count;
  }
}

}  // namespace
}  // namespace phalanx
