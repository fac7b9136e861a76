// GHASH of SP 800-38D, section 6.4, as each instruction set computes it: a sum of products of the powers of H and of blocks,
// compared with the standard's as polynomials.
//
// H^2, H^3 and so on are no such sums. So the key's powers are inputs of their own where blocks are taken in, and the key is
// one product after another: the power that goes into the next one is an input, and it is seen that this is the power that
// came out before (CutMethod). In the same way a hash goes from one group of blocks to the next.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/lanes/word_avx2.hpp"
#include "engine/lanes/word_avx2_vaes.hpp"
#include "engine/lanes/word_avx512.hpp"
#include "engine/lanes/word_neon.hpp"
#include "outside_cores/ghash_specification.hpp"

namespace prove {
namespace {

// What a number in a vector is as a polynomial: x^0 is its highest bit.
template <class Block>
Signals polynomial_of(Block number) {
  std::uint8_t bytes[16];
  number.store(bytes);
  Signals bits = read_memory(bytes, 16);
  forget_memory(bytes, 16);
  return Signals(bits.rbegin(), bits.rend());
}
template <class Block>
Block number_of(const Signals& polynomial) {
  std::uint8_t bytes[16];
  write_memory(bytes, Signals(polynomial.rbegin(), polynomial.rend()));
  const Block number = Block::load(bytes);
  forget_memory(bytes, 16);
  return number;
}

// Signals that were cut: what came, and the inputs that went on in its place.
struct Cut {
  bool on = false;
  std::vector<Signals> came;
  std::vector<Signals> went_on;
};
Cut powers_cut;
Cut hashes_cut;

// `Method` of engine/modes/ghash.hpp with cuts: where a power is multiplied by H, and where a hash is about to be reduced.
template <class Method>
struct CutMethod {
  template <std::size_t num>
  struct Powers : Method::template Powers<num> {
    template <class Vector>
    auto times(std::size_t first, Vector a) const {
      if constexpr (sizeof(Vector) == 16) {
        if (powers_cut.on) {
          powers_cut.came.push_back(polynomial_of(a));
          powers_cut.went_on.push_back(graph().inputs(128));
          return Method::template Powers<num>::times(first, number_of<Vector>(powers_cut.went_on.back()));
        }
      }
      return Method::template Powers<num>::times(first, a);
    }
  };
  template <class Block>
  static phalanx::GhashProduct<Block> completed(phalanx::GhashProduct<Block> sum) {
    if (!hashes_cut.on) return Method::completed(sum);
    hashes_cut.came.push_back(polynomial_of(phalanx::ghash_reduce(Method::completed(sum))));
    const auto unknown = [] { return number_of<Block>(graph().inputs(128)); };
    const phalanx::GhashProduct<Block> any =
        Method::completed(phalanx::GhashProduct<Block>{unknown(), unknown(), unknown()});
    hashes_cut.went_on.push_back(polynomial_of(phalanx::ghash_reduce(any)));
    return any;
  }
};

template <class Vector, class Block, std::size_t max_blocks, class Method>
using CutGhash = phalanx::Ghash<Vector, Block, max_blocks, CutMethod<Method>>;
using Scalar = CutGhash<phalanx::Block128, phalanx::Block128, 1, phalanx::GhashIntegers>;
using Avx2 = CutGhash<phalanx::Word128, phalanx::Word128, 20, phalanx::GhashKaratsuba>;
using Avx2Vaes = CutGhash<phalanx::Word256, phalanx::Word128, 20, phalanx::GhashKaratsuba>;
using Neon = CutGhash<phalanx::NeonWord, phalanx::NeonWord, 20, phalanx::GhashKaratsuba>;
using Avx512 = CutGhash<phalanx::Word512, phalanx::Word128, 36, phalanx::GhashSchoolbook>;

void must_be(bool as_expected, const char* what) {
  if (!as_expected) throw std::runtime_error(what);
}

// All that expand_key leaves: H times x^-1; each power times H; zeros; sums of halves; and halves reversed.
template <class Hash>
Recording expanded_key() {
  std::uint8_t subkey[16];
  const Signals H = specified_element(unknown_memory(subkey, 16));
  static typename Hash::Key key;
  powers_cut.on = true;
  Hash::expand_key(subkey, key);
  powers_cut.on = false;
  Recording recording;
  const auto equal = [&recording](const Signals& a, const Signals& b) {
    recording.implementation.insert(recording.implementation.end(), a.begin(), a.end());
    recording.specification.insert(recording.specification.end(), b.begin(), b.end());
  };
  using Block = typename Hash::BlockType;
  constexpr std::size_t num_powers = Hash::num_powers;
  for (std::size_t i = 0; i < Hash::Key::num_with_room; ++i) {
    const Signals power = polynomial_of(Block::load(key.powers.power[i]));
    if (i >= num_powers) {
      equal(power, Signals(128, zero));
    } else if (i == num_powers - 1) {
      equal(specified_times_x(power), H);
    } else {
      const Signals& before = powers_cut.went_on[num_powers - 2 - i];
      equal(specified_times_x(power), specified_product(specified_times_x(before), H));
    }
    if (i < num_powers) must_be(powers_cut.came[num_powers - 1 - i] == power, "a power of H is not made of the one before");
    if constexpr (requires { key.powers.sum_of_halves; }) {
      const Signals halves = polynomial_of(Block::load(key.powers.sum_of_halves[i]));
      for (std::size_t k = 0; k < 128; ++k) equal({halves[k]}, {graph().xor_of(power[k], power[k ^ 64])});
    }
    if constexpr (requires { key.powers.reversed; }) {
      const Signals reversed = read_memory(key.powers.reversed[i], 24);
      for (std::size_t k = 0; k < 64; ++k) {  // `power` is reversed as it is: its first half is the high one
        equal({reversed[k], reversed[64 + k], reversed[128 + k]},
              {power[64 + k], power[k], graph().xor_of(power[k], power[64 + k])});
      }
    }
  }
  forget_memory(subkey, 16);
  forget_memory(&key, sizeof key);
  return recording;
}

// A key of any powers, as expand_key sets it; `power[i]` is H^(i + 1) of the standard.
template <class Hash>
struct UnknownPowers {
  typename Hash::Key key;
  std::vector<Signals> power;

  UnknownPowers() : power(Hash::num_powers) {
    using Block = typename Hash::BlockType;
    for (std::size_t i = 0; i < Hash::Key::num_with_room; ++i) {
      Signals stored(128, zero);
      if (i < Hash::num_powers) stored = graph().inputs(128);
      key.powers.set(i, number_of<Block>(stored));
      if (i < Hash::num_powers) power[Hash::num_powers - 1 - i] = specified_times_x(stored);
    }
  }
  ~UnknownPowers() { forget_memory(&key, sizeof key); }
};

// `num_blocks` blocks of a text, then `num_last` more, in the groups that are reduced together.
template <class Hash, std::size_t num_blocks, std::size_t num_last, std::size_t... group>
Recording update() {
  static UnknownPowers<Hash> powers;
  static std::uint8_t bytes[16 * (1 + num_blocks + num_last)];  // Y, then the blocks
  std::vector<Signals> blocks;
  for (std::size_t at = 0; at < sizeof bytes; at += 16) blocks.push_back(specified_element(unknown_memory(bytes + at, 16)));
  const std::uint8_t* const text = bytes + 16;
  hashes_cut.on = true;
  const auto sum = Hash::update(powers.key, Hash::load(bytes), text, num_blocks,
                                typename Hash::InMemory{text + 16 * num_blocks, num_last});
  hashes_cut.on = false;
  Hash::store(sum, bytes);
  must_be(specified_element(read_memory(bytes, 16)) == hashes_cut.went_on.back(), "the last group's hash is not the hash");
  must_be(hashes_cut.came.size() == sizeof...(group), "other groups than expected");
  Recording recording;
  Signals y = blocks[0];
  std::size_t first = 1;
  std::size_t i = 0;
  for (const std::size_t count : {group...}) {
    const std::vector<Signals> taken(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                     blocks.begin() + static_cast<std::ptrdiff_t>(first + count));
    const Signals specified = specified_hash(y, taken, powers.power);
    recording.specification.insert(recording.specification.end(), specified.begin(), specified.end());
    recording.implementation.insert(recording.implementation.end(), hashes_cut.came[i].begin(), hashes_cut.came[i].end());
    y = hashes_cut.went_on[i++];
    first += count;
  }
  return recording;
}

// A text's last one or two blocks in registers, as GCM's kernels have them, after one block in memory.
template <class Hash, std::size_t num_last>
Recording in_registers() {
  static UnknownPowers<Hash> powers;
  static std::uint8_t bytes[4 * 16];
  std::vector<Signals> blocks;
  for (std::size_t at = 0; at < sizeof bytes; at += 16) blocks.push_back(specified_element(unknown_memory(bytes + at, 16)));
  const typename Hash::InRegisters last{Hash::load(bytes + 32), Hash::load(bytes + 48), num_last};
  const auto sum = Hash::update(powers.key, Hash::load(bytes), bytes + 16, 1, last);
  std::vector<Signals> taken{blocks[1]};
  if (num_last == 2) taken.push_back(blocks[2]);
  taken.push_back(blocks[3]);
  return {polynomial_of(sum), specified_hash(blocks[0], taken, powers.power)};
}

// A group in steps, as it stands between the rounds of a cipher.
template <class Hash, std::size_t group_blocks>
Recording stepwise() {
  static UnknownPowers<Hash> powers;
  static std::uint8_t bytes[16 * (1 + group_blocks)];
  std::vector<Signals> blocks;
  for (std::size_t at = 0; at < sizeof bytes; at += 16) blocks.push_back(specified_element(unknown_memory(bytes + at, 16)));
  using Steps = typename Hash::template Stepwise<group_blocks>;
  Steps steps(powers.key, Hash::load(bytes));
  for (int i = 0; i < Steps::num_steps; ++i) steps.step(i, bytes + 16);
  const Signals Y = blocks[0];
  blocks.erase(blocks.begin());
  return {polynomial_of(steps.sum), specified_hash(Y, blocks, powers.power)};
}

void add(std::vector<Claim>& claims, const std::string& name, Recording (*record)()) {
  claims.push_back({"ghash." + name, record});
  claims.back().by_polynomials = true;
}
template <class Hash>
void add_vectors(std::vector<Claim>& claims, const std::string& set) {
  constexpr std::size_t most = Hash::num_powers;
  add(claims, set + ".key", expanded_key<Hash>);
  add(claims, set + ".1_block", update<Hash, 1, 0, 1>);
  add(claims, set + ".2_blocks", update<Hash, 2, 0, 2>);
  add(claims, set + ".3_blocks", update<Hash, 3, 0, 3>);
  add(claims, set + ".7_blocks", update<Hash, 5, 2, 7>);
  add(claims, set + ".a_group", update<Hash, most, 0, most>);
  add(claims, set + ".a_group_with_last", update<Hash, most - 1, 1, most>);
  add(claims, set + ".groups_and_rest", update<Hash, 2 * most + 3, 2, most, most, 5>);
  add(claims, set + ".last_without_room", update<Hash, 2 * most - 1, 2, most, most - 1, 2>);
  add(claims, set + ".1_in_registers", in_registers<Hash, 1>);
  add(claims, set + ".2_in_registers", in_registers<Hash, 2>);
  add(claims, set + ".stepwise", stepwise<Hash, most - 4>);
}

}  // namespace

std::vector<Claim> ghash_claims() {
  std::vector<Claim> claims;
  add(claims, "scalar.key", expanded_key<Scalar>);
  add(claims, "scalar.1_block", update<Scalar, 1, 0, 1>);
  add(claims, "scalar.5_blocks", update<Scalar, 3, 2, 1, 1, 1, 1, 1>);
  add_vectors<Avx2>(claims, "avx2");
  add_vectors<Avx2Vaes>(claims, "avx2_vaes");
  add_vectors<Avx512>(claims, "avx512");
  add_vectors<Neon>(claims, "neon");
  return claims;
}

}  // namespace prove
