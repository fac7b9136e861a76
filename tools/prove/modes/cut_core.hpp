// A cipher of which nothing is known, and cores round it (engine/ciphers/block_core.hpp), for what modes do with many blocks. Recorded with
// the shipped vectors over recorded instructions. clang-format off: first of all
#pragma once

#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"

namespace phalanx {
namespace {

// engine/bytes/byte_order.hpp leaves this vector of the compiler's own out: here as two recorded numbers.
struct Pair64 {
  std::uint64_t number[2];

  friend Pair64 operator^(const Pair64& a, const Pair64& b) {
    return {{a.number[0] ^ b.number[0], a.number[1] ^ b.number[1]}};
  }
};
Pair64 load_pair(const void* p) { return {{load_u64(p), load_u64(static_cast<const std::uint8_t*>(p) + 8)}}; }
void store_pair(void* p, const Pair64& x) { std::memcpy(p, x.number, sizeof x.number); }

}  // namespace
}  // namespace phalanx

#include "engine/lanes/word_avx2.hpp"
#include "engine/lanes/word_avx2_vaes.hpp"
#include "engine/lanes/word_avx512.hpp"
#include "engine/lanes/word_neon.hpp"
#include "engine/modes/packed_ranges.hpp"
#include "modes/mode_specification.hpp"

namespace prove {
namespace {

using phalanx::Block128;
using phalanx::Direction;
using phalanx::Mode;
using phalanx::NeonWord;
using phalanx::Word128;
using phalanx::Word256;
using phalanx::Word512;
using phalanx::Word64;

// add.operator()<mode, direction>(name) for each mode whose blocks a core takes many of at a time.
template <class Core, class Add>
void for_each_divisible_mode(Add add) {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  add.template operator()<Mode::ecb, encrypt>("ecb.encrypt.");
  add.template operator()<Mode::ecb, decrypt>("ecb.decrypt.");
  add.template operator()<Mode::cbc, decrypt>("cbc.decrypt.");
  add.template operator()<Mode::cfb, decrypt>("cfb.decrypt.");
  add.template operator()<Mode::ctr, encrypt>("ctr.encrypt.");
  if constexpr (Core::block_bytes == 16) {
    add.template operator()<Mode::xts, encrypt>("xts.encrypt.");
    add.template operator()<Mode::xts, decrypt>("xts.decrypt.");
  }
}

// The cipher: block after block, what it is given and what it gives, which nobody knows. Of lanes that a rest
// leaves empty it gives unknown bits too, which are not to come out anywhere.
struct CutCipher {
  std::vector<Signals> given;
  std::vector<Signals> taken;
  Signals inverse;  // of each block: whether it was CIPH^-1

  Signals call(Direction direction, const Signals& block) {
    const std::size_t number = taken.size();
    taken.push_back(block);
    inverse.push_back(direction == Direction::decrypt ? one : zero);
    if (number == given.size()) given.push_back(graph().inputs(block.size()));
    return given[number];
  }
  // A path of branches begins: the same cipher again.
  void start() {
    taken.clear();
    inverse.clear();
  }
};

// A core round it, of num_lanes blocks. Its stores come in either order.
template <class V, std::size_t num_lanes, std::size_t size, bool last_first>
struct CutCoreOf {
  static constexpr std::size_t block_bytes = size;
  static constexpr std::size_t lanes = num_lanes;
  static constexpr bool stores_last_first = last_first;
  static constexpr phalanx::Fetches fetches = phalanx::Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  using Vector = V;
  using Schedule = CutCipher*;

  template <Direction direction, class Load, class Store>
  static void crypt(const Schedule& cipher, Load load, Store store) {
    std::uint8_t bytes[num_lanes * size];
    for (std::size_t i = 0; i < sizeof bytes / sizeof(V); ++i) load(i).store(bytes + i * sizeof(V));
    crypt_all<direction>(cipher, bytes);
    constexpr std::size_t num = sizeof bytes / sizeof(V);
    for (std::size_t i = 0; i < num; ++i) {
      const std::size_t at = last_first ? num - 1 - i : i;
      store(at, V::load(bytes + at * sizeof(V)));
    }
    forget_memory(bytes, sizeof bytes);
  }
  template <Direction direction>
  static void crypt_block(const Schedule& cipher, const std::uint8_t* in, std::uint8_t* out) {
    write_memory(out, cipher->call(direction, read_memory(in, size)));
  }
  // Of blocks of 64 bits: how planes come from counters is proved elsewhere.
  template <class Store>
  static void crypt_counters(const Schedule& cipher, phalanx::std::uint64_t first, Store store,
                             phalanx::PrefetchHint /*ahead*/) {
    phalanx::std::uint64_t counters[num_lanes];
    for (std::size_t i = 0; i < num_lanes; ++i) counters[i] = phalanx::reverse_bytes(first + i);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(counters);
    crypt<Direction::encrypt>(
        cipher, [=](std::size_t i) { return V::load(bytes + i * sizeof(V)); }, store);
  }

 private:
  template <Direction direction>
  static void crypt_all(const Schedule& cipher, std::uint8_t* bytes) {
    for (std::size_t lane = 0; lane < num_lanes; ++lane)
      crypt_block<direction>(cipher, bytes + lane * size, bytes + lane * size);
  }
};
template <class V, std::size_t num_lanes, std::size_t size = 16>
struct CutCore : CutCoreOf<V, num_lanes, size, false> {};
template <class V, std::size_t num_lanes, std::size_t size = 16>
struct CutCoreLastFirst : CutCoreOf<V, num_lanes, size, true> {};
// Rests go to a core of half the lanes.
template <class V, std::size_t num_lanes, std::size_t size = 16>
struct CutCoreWithNarrower : CutCore<V, num_lanes, size> {
  using Narrower = CutCore<V, num_lanes / 2, size>;
};

}  // namespace
}  // namespace prove
