// Ranges of a message on CPUs: how a mode goes from block to block and from group to group, with a rest that is no group,
// round a cipher of which nothing is known. Recorded with the shipped vectors over recorded instructions, for each number of
// blocks up to more than two groups; what block j is given, what becomes of it and the chaining state after the last one are
// those of the standards' steps one after another. clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"

namespace phalanx {
namespace {

// bytes/byte_order.hpp leaves this vector of the compiler's own out: here as two recorded numbers.
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

#include "lanes/word_avx2.hpp"
#include "lanes/word_avx2_vaes.hpp"
#include "lanes/word_avx512.hpp"
#include "modes/coalesced_ranges.hpp"
#include "modes/mode_specification.hpp"

namespace prove {
namespace {

using phalanx::Block128;
using phalanx::Direction;
using phalanx::Mode;
using phalanx::Word128;
using phalanx::Word256;
using phalanx::Word512;

// The cipher of a range: block after block, what it is given and what it gives, which nobody knows. Of lanes that a rest
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

 private:
  template <Direction direction>
  static void crypt_all(const Schedule& cipher, std::uint8_t* bytes) {
    for (std::size_t lane = 0; lane < num_lanes; ++lane)
      crypt_block<direction>(cipher, bytes + lane * size, bytes + lane * size);
  }
};
template <class V, std::size_t num_lanes>
struct CutCore : CutCoreOf<V, num_lanes, 16, false> {};
template <class V, std::size_t num_lanes>
struct CutCoreLastFirst : CutCoreOf<V, num_lanes, 16, true> {
  static constexpr bool stores_last_first = true;
};
// Rests go to a core of half the lanes.
template <class V, std::size_t num_lanes>
struct CutCoreWithNarrower : CutCore<V, num_lanes> {
  using Narrower = CutCore<V, num_lanes / 2>;
};

struct Range {
  std::size_t num_blocks;
  std::size_t serial_blocks;
  bool in_place;
};

// What became of a range: what the cipher was given, in which direction, the output, and the chaining state.
template <class Core, Mode mode, Direction direction>
Signals crypted(const Range& range, const Signals& iv, const Signals& text, CutCipher& cipher) {
  alignas(64) static std::uint8_t memory[2][64 * 16];
  alignas(16) std::uint8_t chain[16];
  write_memory(chain, iv);
  write_memory(memory[0], text);
  std::uint8_t* const out = memory[range.in_place ? 0 : 1];
  cipher.start();
  CutCipher* const schedule = &cipher;
  if constexpr (phalanx::step_of(mode, direction).is_serial()) {
    phalanx::crypt_serially<Core, mode, direction>(schedule, chain, memory[0], out, range.num_blocks);
  } else {
    using ModeType = typename phalanx::RangeMode<Core, mode, direction>::Type;
    phalanx::crypt_groups<ModeType>(schedule, chain, memory[0], out, range.num_blocks, range.serial_blocks);
  }
  cipher.taken.resize(range.num_blocks);
  cipher.inverse.resize(range.num_blocks);
  const Signals result =
      joined({joined(cipher.taken), cipher.inverse, read_memory(out, 16 * range.num_blocks), read_memory(chain, 16)});
  forget_memory(memory, sizeof memory);
  forget_memory(chain, sizeof chain);
  return result;
}

Signals specified(Mode mode, Direction direction, const Signals& iv, const Signals& text, const CutCipher& cipher) {
  Signals taken;
  Signals output;
  Signals chain = iv;
  const std::size_t num_blocks = text.size() / 128;
  for (std::size_t i = 0; i < num_blocks; ++i) {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(128 * i);
    const StepResult step = specified_step(mode, direction, {Signals(first, first + 128), chain, cipher.given.at(i)});
    taken = joined(taken, step.taken);
    output = joined(output, step.output);
    chain = step.chain;
  }
  return joined({taken, Signals(num_blocks, specified_inverse(mode, direction) ? one : zero), output, chain});
}

// Every length up to more than two groups and a rest.
template <class Core, Mode mode, Direction direction>
Recording ranges() {
  Recording recording;
  for (std::size_t num_blocks = 1; num_blocks <= 2 * Core::lanes + 3; ++num_blocks) {
    for (const std::size_t serial_blocks : {0, 2}) {
      for (const bool in_place : {false, true}) {
        const Signals iv = graph().inputs(128);
        const Signals text = graph().inputs(128 * num_blocks);
        CutCipher cipher;
        const auto record = [&] {
          return crypted<Core, mode, direction>({num_blocks, serial_blocks, in_place}, iv, text, cipher);
        };
        // A group of counters asks whether they carry out of 32 bits.
        recording.implementation = joined(recording.implementation, mode == Mode::ctr ? on_every_path(record) : record());
        recording.specification = joined(recording.specification, specified(mode, direction, iv, text, cipher));
      }
    }
  }
  return recording;
}

template <class Core>
void add_claims(const std::string& core, std::vector<Claim>& claims) {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  claims.push_back({"range.ecb.encrypt." + core, ranges<Core, Mode::ecb, encrypt>});
  claims.push_back({"range.ecb.decrypt." + core, ranges<Core, Mode::ecb, decrypt>});
  claims.push_back({"range.cbc.decrypt." + core, ranges<Core, Mode::cbc, decrypt>});
  claims.push_back({"range.cfb.decrypt." + core, ranges<Core, Mode::cfb, decrypt>});
  claims.push_back({"range.ctr.encrypt." + core, ranges<Core, Mode::ctr, encrypt>});
  claims.push_back({"range.xts.encrypt." + core, ranges<Core, Mode::xts, encrypt>});
  claims.push_back({"range.xts.decrypt." + core, ranges<Core, Mode::xts, decrypt>});
}

}  // namespace

std::vector<Claim> range_claims() {
  using Scalar = CutCore<Block128, 4>;
  std::vector<Claim> claims = {{"range.cbc.encrypt.serial", ranges<Scalar, Mode::cbc, Direction::encrypt>},
                               {"range.cfb.encrypt.serial", ranges<Scalar, Mode::cfb, Direction::encrypt>},
                               {"range.ofb.encrypt.serial", ranges<Scalar, Mode::ofb, Direction::encrypt>}};
  add_claims<Scalar>("scalar", claims);
  add_claims<CutCore<Word128, 4>>("avx2_block", claims);
  add_claims<CutCoreWithNarrower<Word256, 8>>("avx2", claims);
  add_claims<CutCoreLastFirst<Word512, 8>>("avx512", claims);
  return claims;
}

}  // namespace prove
