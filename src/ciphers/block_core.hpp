// What a mode asks of a cipher: the contract between ciphers/*_core.hpp and modes/.
//
// A core crypts `lanes` blocks at once. The blocks of such a group lie one after another, as in memory, and a mode sees them
// as num_vectors vectors: vector i holds bytes [i * sizeof(Vector), (i + 1) * sizeof(Vector)) of the group. A core is a
// struct with
//
//   static constexpr std::size_t block_bytes;   // 8 or 16
//   static constexpr std::size_t lanes;         // blocks in a group
//   static constexpr std::size_t serial_blocks; // a range's last blocks: up to so many, crypt_block one by one beats a
//   group
//                                               // of the narrowest core; `Kernel::serial_blocks` may change it at run time
//   static constexpr std::size_t serial_messages; // optional, serial_blocks if missing: so many messages, in a serial mode,
//                                               // are faster one after another than side by side
//   using Narrower;                             // optional, see below
//   static constexpr std::size_t padded_blocks; // optional, see below
//   using Vector;                               // see lanes/word_*.hpp: load, store, ^, counters, next_tweaks
//   using Schedule;                             // one expanded key: plain data, no pointers, 64-byte aligned
//   static void expand_key(const uint8_t* key, size_t key_bytes, Schedule& schedule);
//   static constexpr std::size_t key_stack_bytes;      // so far below its caller expand_key may put parts of a key on the
//   static constexpr std::size_t lane_key_stack_bytes; // stack, and expand_lane_keys; whoever calls them wipes that much
//   static constexpr std::size_t round_stack_bytes;    // optional: so far may `crypt`, and crypt_lanes unless
//                                                      // lane_round_stack_bytes says otherwise; 0, as if missing: round
//                                                      // keys are used where they lie. crypt_block wipes what it leaves
//                                                      // itself. Tests hold every core to this
//   static constexpr std::size_t clean_blocks;         // optional, 0 if missing: a range of up to so many blocks leaves
//                                                      // nothing of a key on the stack, whatever round_stack_bytes says
//
//   template <Direction direction, class Load, class Store>
//   static void crypt(const Schedule& schedule, Load load, Store store);
//       // Calls load(i) -> Vector once for each i, then store(i, vector) once for each i, in any order within each, and
//       // never a load after the first store of the group: so a group may be crypted in place.
//
//   static constexpr int num_steps_beside;
//   template <Direction direction, class Load, class Store, class Beside>
//   static void crypt_beside(const Schedule& schedule, Load load, Store store, Beside beside);
//       // Only where a cipher leaves execution units idle: crypt, with beside(0) ... beside(num_steps_beside - 1) spread
//       // over its rounds, after the loads and before the stores. What they compute has nothing to do with the group.
//
//   static constexpr bool fetches_ahead = true;     // optional: crypt takes an Ahead as its last argument, {} by default
//   static constexpr bool fetches_far_ahead = true; // optional, instead: the Ahead always has something to fetch
//   static constexpr bool stores_last_first = true; // optional: the stores come in order, from the last vector to the first
//
//   template <class Store>
//   static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store, Ahead ahead);
//       // 64-bit blocks only: crypt<encrypt> of a group of big-endian counters from `first` on, wrapping.
//
//   template <Direction direction>
//   static void crypt_block(const Schedule& schedule, const uint8_t* in, uint8_t* out);
//       // One block, with the shortest latency the machine allows: the serial modes and short tails. in == out is allowed.
//
//   using LaneSchedules;                        // an expanded key per lane: plain data, 64-byte aligned
//   static constexpr std::size_t key_lanes;     // lanes whose keys are expanded together; without this and
//                                               // expand_lane_keys, one by one, by expand_key and set_lane
//   static void set_lane(LaneSchedules& schedules, size_t lane, const Schedule& schedule);
//   template <Direction direction>              // instead, beside key_lanes: what crypt_lanes<direction> needs of it
//   static void set_lane_for(LaneSchedules& schedules, size_t lane, const Schedule& schedule);
//   static void expand_lane_keys(const uint8_t* keys, size_t key_bytes, size_t first_lane, LaneSchedules& schedules);
//       // first_lane is a multiple of key_lanes; bytes 8 i to 8 i + 7 of lane j's key lie at keys + 8 * (i * lanes + j).
//   template <Direction direction, class Load, class Store>
//   static void crypt_lanes(const LaneSchedules& keys, Load load, Store store);   // as crypt; lane j is block j
//
// Tails: a range's last blocks, too few for a group. `Narrower` is a core with fewer lanes and the same Schedule type, down
// to one without a Narrower: so a chain of cores of 512, 256 and 128 lanes, say. A rest goes to the Narrower core, which
// crypts whole groups of its own and passes on its own rest; but a rest of padded_blocks or more (by default: more than fits
// one group of the Narrower core; `lanes`: never) costs less as one more group of this core, padded with zeros. No other
// member of a Narrower core is used than block_bytes, lanes, padded_blocks, Narrower, the types and the functions
// `crypt...`.
//
// No function here has a secret-dependent branch or address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bytes/inline.hpp"

namespace phalanx {
namespace {

template <class Core>
inline constexpr std::size_t num_vectors = Core::lanes* Core::block_bytes / sizeof(typename Core::Vector);

template <class Core>
concept HasNarrower = requires {
  typename Core::Narrower;
};

/// Memory that a core is to have in the cache by the time that it gets there: a later group's input and output. For groups
/// so large and so slow that the processor does not fetch the next one by itself, and for cores that are as fast as memory.
struct Ahead {
  const std::uint8_t* in = nullptr;  ///< nullptr: nothing to fetch
  std::uint8_t* out = nullptr;

  /// The line at `offset`, where there is always something to fetch.
  PHALANX_INLINE void fetch_line(std::size_t offset) const {
    __builtin_prefetch(in + offset, 0);
    __builtin_prefetch(out + offset, 1);
  }

  /// Bytes [offset, offset + num_bytes) of both, while something else is being computed.
  PHALANX_INLINE void fetch(std::size_t offset, std::size_t num_bytes) const {
    constexpr std::size_t line_bytes = 64;
    if (in == nullptr) return;
    for (std::size_t i = offset; i < offset + num_bytes; i += line_bytes) {
      __builtin_prefetch(in + i, 0);
      __builtin_prefetch(out + i, 1);
    }
  }
};

/// A base of a core that has a Narrower one only if `exists`.
template <class Core, bool exists>
struct WithNarrower {};
template <class Core>
struct WithNarrower<Core, true> {
  using Narrower = Core;
};

/// A rest of at least so many blocks is one padded group of the core rather than groups of its Narrower one.
template <class Core>
constexpr std::size_t padded_blocks_of() {
  if constexpr (requires { Core::padded_blocks; }) {
    return Core::padded_blocks;
  } else if constexpr (HasNarrower<Core>) {
    return Core::Narrower::lanes + 1;
  } else {
    return 1;
  }
}

}  // namespace
}  // namespace phalanx
