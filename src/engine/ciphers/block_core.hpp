// What a mode asks of a cipher: the contract between ciphers/*_core.hpp and engine/modes/.
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
//   static constexpr std::size_t serial_messages; // so many messages, in a serial mode, are faster one after another than
//                                               // side by side; 1 at least
//   using Narrower;                             // optional, see below
//   static constexpr std::size_t padded_blocks; // optional, see below
//   using Vector;                               // see lanes/word_*.hpp: load, store, ^, counters, next_tweaks
//   using Schedule;                             // one expanded key: plain data, no pointers, 64-byte aligned
//   static void expand_key(const uint8_t* key, size_t key_bytes, Schedule& schedule);
//   static constexpr std::size_t key_stack_bytes;      // so far below its caller expand_key may put parts of a key on the
//   static constexpr std::size_t lane_key_stack_bytes; // stack, and expand_lane_keys; whoever calls them wipes that much
//   static constexpr std::size_t round_stack_bytes;      // so far below its caller `crypt` may put parts of a key on the
//   static constexpr std::size_t lane_round_stack_bytes; // stack, and crypt_lanes; 0: round keys are used where they lie.
//                                                        // crypt_block wipes what it leaves itself. Tests hold every core
//                                                        // to this
//   static constexpr std::size_t clean_blocks; // a range of up to so many blocks leaves nothing of a key on the stack,
//                                              // whatever round_stack_bytes says
//
//   template <Direction direction, class Load, class Store>
//   static void crypt(const Schedule& schedule, Load load, Store store);
//       // Calls load(i) -> Vector once for each i, then store(i, vector) once for each i, in any order within each, and
//       // never a load after the first store of the group: so a group may be crypted in place.
//
//   static constexpr bool stores_last_first; // whether the stores come in order, from the last vector to the first
//   static constexpr Fetches fetches;        // whether crypt takes a PrefetchHint as its last argument. `ahead`: {} is
//                                            // allowed; far_ahead: it always has something to fetch
//
//   static constexpr int num_steps_beside;   // 0: there is no crypt_beside
//   template <Direction direction, class Load, class Store, class Beside>
//   static void crypt_beside(const Schedule& schedule, Load load, Store store, Beside beside);
//       // Only where a cipher leaves execution units idle: crypt, with beside(0) ... beside(num_steps_beside - 1) spread
//       // over its rounds, after the loads and before the stores. What they compute has nothing to do with the group.
//   static void fetch_line(PrefetchHint ahead, int line);  // beside it: line `line` of the group ahead, if it has so many
//
//   template <class Store>
//   static void crypt_counters(const Schedule& schedule, std::uint64_t first, Store store, PrefetchHint ahead);
//       // 64-bit blocks only: crypt<encrypt> of a group of big-endian counters from `first` on, wrapping.
//
//   template <Direction direction>
//   static void crypt_block(const Schedule& schedule, const uint8_t* in, uint8_t* out);
//       // One block, with the shortest latency the machine allows: the serial modes and short tails. in == out is allowed.
//
//   using LaneSchedules;                        // an expanded key per lane: plain data, 64-byte aligned
//   static constexpr SetsLanes sets_lanes;      // how an expanded key is put into a lane. `whole`: by set_lane;
//                                               // by_direction: by set_lane_for, what crypt_lanes<direction> needs of it;
//                                               // never: lanes take keys in another form
//   static void set_lane(LaneSchedules& schedules, size_t lane, const Schedule& schedule);
//   template <Direction direction>
//   static void set_lane_for(LaneSchedules& schedules, size_t lane, const Schedule& schedule);
//   static constexpr std::size_t key_lanes;     // lanes whose keys are expanded together, by expand_lane_keys. 0: there is
//                                               // none, and they are expanded one by one, by expand_key and set_lane
//   static void expand_lane_keys(const uint8_t* keys, size_t key_bytes, size_t first_lane, LaneSchedules& schedules);
//       // first_lane is a multiple of key_lanes; bytes 8 i to 8 i + 7 of lane j's key lie at keys + 8 * (i * lanes + j).
//   template <Direction direction, class Load, class Store>
//   static void crypt_lanes(const LaneSchedules& keys, Load load, Store store);   // as crypt; lane j is block j
//
// Tails: a range's last blocks, too few for a group. `Narrower` is a core with fewer lanes and the same Schedule type, down
// to one without a Narrower: so a chain of cores of 512, 256 and 128 lanes, say. A rest goes to the Narrower core, which
// crypts whole groups of its own and passes on its own rest; but a rest of padded_blocks or more (by default: more than fits
// one group of the Narrower core; `lanes`: never) costs less as one more group of this core, padded with zeros. A Narrower
// core needs what is_range_core asks for; a kernel's core needs what is_kernel_core does. Both say in words what is missing
// or does not fit.
//
// No function here has a secret-dependent branch or address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/bytes/inline.hpp"
#include "engine/ciphers/direction.hpp"

namespace phalanx {
namespace {

enum class Fetches : unsigned char { nothing, ahead, far_ahead };
enum class SetsLanes : unsigned char { never, whole, by_direction };

template <class Core>
inline constexpr std::size_t num_vectors = Core::lanes* Core::block_bytes / sizeof(typename Core::Vector);

template <class Core>
concept HasNarrower = requires {
  typename Core::Narrower;
};

/// Memory that a core is to have in the cache by the time that it gets there: a later group's input and output. For groups
/// so large and so slow that the processor does not fetch the next one by itself, and for cores that are as fast as memory.
struct PrefetchHint {
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

// Whether a member is a constant of the type that the contract says.
template <class Constant, class Type>
inline constexpr bool is_constant_of = false;
template <class Type>
inline constexpr bool is_constant_of<const Type, Type> = true;

// What modes give to a core, for the checks below.
template <class Core>
struct AnyLoad {
  typename Core::Vector operator()(std::size_t i) const;
};
template <class Core>
struct AnyStore {
  void operator()(std::size_t i, typename Core::Vector v) const;
};
struct AnyBeside {
  void operator()(int step) const;
};

template <class Core>
inline constexpr bool crypts_with_ahead = requires(const typename Core::Schedule& schedule) {
  Core::template crypt<Direction::encrypt>(schedule, AnyLoad<Core>{}, AnyStore<Core>{}, PrefetchHint{});
};
template <class Core>
inline constexpr bool has_crypt_beside = requires(const typename Core::Schedule& schedule) {
  Core::template crypt_beside<Direction::encrypt>(schedule, AnyLoad<Core>{}, AnyStore<Core>{}, AnyBeside{});
};

/// The types and sizes that all else rests on.
template <class Core>
constexpr bool has_sizes() {
  constexpr bool has_types = requires {
    typename Core::Vector;
    typename Core::Schedule;
  };
  static_assert(has_types, "a core names its Vector and its Schedule");
  constexpr bool has_numbers = requires {
    requires is_constant_of<decltype(Core::block_bytes), std::size_t>;
    requires is_constant_of<decltype(Core::lanes), std::size_t>;
  };
  static_assert(has_numbers, "a core says its block_bytes and its lanes, each a std::size_t");
  if constexpr (has_types && has_numbers) {
    static_assert(Core::block_bytes == 8 || Core::block_bytes == 16, "a core's blocks have 8 or 16 bytes");
    static_assert(Core::lanes * Core::block_bytes % sizeof(typename Core::Vector) == 0 && Core::lanes != 0,
                  "a core's group is a whole number of its vectors");
  }
  return has_types && has_numbers;
}

/// The functions of every core.
template <class Core>
constexpr bool has_functions() {
  constexpr bool crypts = requires(const typename Core::Schedule& schedule, std::uint8_t* block) {
    Core::template crypt<Direction::encrypt>(schedule, AnyLoad<Core>{}, AnyStore<Core>{});
    Core::template crypt<Direction::decrypt>(schedule, AnyLoad<Core>{}, AnyStore<Core>{});
    Core::template crypt_block<Direction::encrypt>(schedule, block, block);
    Core::template crypt_block<Direction::decrypt>(schedule, block, block);
  };
  static_assert(crypts, "a core has crypt and crypt_block, in both directions");
  constexpr bool counts = requires(const typename Core::Schedule& schedule) {
    Core::crypt_counters(schedule, 0, AnyStore<Core>{}, PrefetchHint{});
  };
  static_assert(counts || Core::block_bytes != 8, "a core of 64-bit blocks has crypt_counters");
  return crypts && (counts || Core::block_bytes != 8);
}

/// The traits that modes ask for: each is said, and none is contradicted.
template <class Core>
constexpr bool has_range_traits() {
  constexpr bool says_stores = requires { requires is_constant_of<decltype(Core::stores_last_first), bool>; };
  static_assert(says_stores, "a core says whether it stores_last_first: true or false");
  constexpr bool says_fetches = requires { requires is_constant_of<decltype(Core::fetches), Fetches>; };
  static_assert(says_fetches, "a core says what it fetches: nothing, ahead or far_ahead of Fetches");
  constexpr bool says_beside = requires { requires is_constant_of<decltype(Core::num_steps_beside), int>; };
  static_assert(says_beside, "a core says its num_steps_beside, an int: 0 where it has no crypt_beside");
  if constexpr (says_fetches) {
    static_assert((Core::fetches != Fetches::nothing) == crypts_with_ahead<Core>,
                  "a core fetches something where its crypt takes a PrefetchHint, and only there");
  }
  if constexpr (says_beside) {
    static_assert((Core::num_steps_beside != 0) == has_crypt_beside<Core>,
                  "a core's num_steps_beside is 0 where it has no crypt_beside, and only there");
    constexpr bool fetches_lines = requires { Core::fetch_line(PrefetchHint{}, 0); };
    static_assert(fetches_lines || Core::num_steps_beside == 0, "a core with crypt_beside has fetch_line");
  }
  return says_stores && says_fetches && says_beside;
}

template <class Core>
constexpr bool is_range_core();

/// The chain of Narrower cores.
template <class Core>
constexpr bool has_fitting_narrower() {
  if constexpr (HasNarrower<Core>) {
    using Narrower = typename Core::Narrower;
    if constexpr (is_range_core<Narrower>()) {
      static_assert(Narrower::lanes < Core::lanes, "a core's Narrower core has fewer lanes");
      static_assert(Narrower::block_bytes == Core::block_bytes, "a core's Narrower core has blocks of the same size");
      static_assert(is_constant_of<const typename Narrower::Schedule, typename Core::Schedule>,
                    "a core's Narrower core takes the same Schedule");
    }
  }
  static_assert(padded_blocks_of<Core>() >= 1 && padded_blocks_of<Core>() <= Core::lanes,
                "a core's padded_blocks are 1 to its lanes");
  return true;
}

/// Whether a core is one that modes over ranges take; a compiler says in words what is wrong with it.
template <class Core>
constexpr bool is_range_core() {
  if constexpr (has_sizes<Core>()) {
    if constexpr (has_functions<Core>() && has_range_traits<Core>()) return has_fitting_narrower<Core>();
  }
  return false;
}

/// What a kernel's core says of stacks and messages.
template <class Core>
constexpr bool has_kernel_figures() {
  constexpr bool says_stacks = requires {
    requires is_constant_of<decltype(Core::key_stack_bytes), std::size_t>;
    requires is_constant_of<decltype(Core::lane_key_stack_bytes), std::size_t>;
    requires is_constant_of<decltype(Core::round_stack_bytes), std::size_t>;
    requires is_constant_of<decltype(Core::lane_round_stack_bytes), std::size_t>;
    requires is_constant_of<decltype(Core::clean_blocks), std::size_t>;
  };
  static_assert(says_stacks,
                "a kernel's core says what it leaves on the stack: key_stack_bytes, lane_key_stack_bytes, "
                "round_stack_bytes, lane_round_stack_bytes and clean_blocks, each a std::size_t");
  constexpr bool says_serial = requires {
    requires is_constant_of<decltype(Core::serial_blocks), std::size_t>;
    requires is_constant_of<decltype(Core::serial_messages), std::size_t>;
  };
  static_assert(says_serial, "a kernel's core says its serial_blocks and its serial_messages, each a std::size_t");
  return says_stacks && says_serial;
}

/// How keys come into the lanes of a kernel's core.
template <class Core>
constexpr bool has_lane_keys() {
  constexpr bool says_lanes = requires {
    typename Core::LaneSchedules;
    requires is_constant_of<decltype(Core::key_lanes), std::size_t>;
    requires is_constant_of<decltype(Core::sets_lanes), SetsLanes>;
  };
  static_assert(says_lanes, "a kernel's core has LaneSchedules, key_lanes (a std::size_t) and sets_lanes (of SetsLanes)");
  if constexpr (says_lanes) {
    using Keys = typename Core::LaneSchedules;
    using Schedule = typename Core::Schedule;
    constexpr bool expands = requires(Keys & keys, const std::uint8_t* bytes) { Core::expand_lane_keys(bytes, 8, 0, keys); };
    static_assert((Core::key_lanes != 0) == expands,
                  "a core's key_lanes are 0 where it has no expand_lane_keys, and only there");
    if constexpr (Core::key_lanes != 0) {
      static_assert(Core::lanes % Core::key_lanes == 0, "a core's lanes are a multiple of its key_lanes");
    }
    static_assert(expands || Core::sets_lanes == SetsLanes::whole,
                  "a core without expand_lane_keys sets its lanes whole, by set_lane");
    constexpr bool sets_whole = requires(Keys & keys, const Schedule& schedule) { Core::set_lane(keys, 0, schedule); };
    static_assert((Core::sets_lanes == SetsLanes::whole) == sets_whole,
                  "a core sets its lanes whole where it has set_lane, and only there");
    constexpr bool sets_by_direction = requires(Keys & keys, const Schedule& schedule) {
      Core::template set_lane_for<Direction::encrypt>(keys, 0, schedule);
    };
    static_assert((Core::sets_lanes == SetsLanes::by_direction) == sets_by_direction,
                  "a core sets its lanes by_direction where it has set_lane_for, and only there");
    constexpr bool crypts = requires(const Keys& keys) {
      Core::template crypt_lanes<Direction::encrypt>(keys, AnyLoad<Core>{}, AnyStore<Core>{});
      Core::template crypt_lanes<Direction::decrypt>(keys, AnyLoad<Core>{}, AnyStore<Core>{});
    };
    static_assert(crypts, "a kernel's core has crypt_lanes, in both directions");
  }
  return says_lanes;
}

/// Whether a core is one that a kernel is made of: it has key schedules, and lanes with keys of their own, too.
template <class Core>
constexpr bool is_kernel_core() {
  if constexpr (is_range_core<Core>()) {
    constexpr bool expands = requires(const std::uint8_t* key, typename Core::Schedule& schedule) {
      Core::expand_key(key, 8, schedule);
    };
    static_assert(expands, "a kernel's core has expand_key");
    if constexpr (expands && has_kernel_figures<Core>()) return has_lane_keys<Core>();
  }
  return false;
}

}  // namespace
}  // namespace phalanx
