// AES by instructions, in groups of every size that ships and one block by itself: recorded with the shipped vectors over
// recorded instructions. In steps, as AES on GPUs is: key schedules, and rounds under any round keys (docs/proofs.md).
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include <map>

#include "aes/aes_specification.hpp"
#include "engine/lanes/word_avx2.hpp"
#include "engine/lanes/word_avx2_vaes.hpp"
#include "engine/lanes/word_avx512.hpp"
#include "engine/lanes/word_neon.hpp"
#include "recorded_crypt.hpp"
// The core's empty statements, which say where values are, are the compiler's: they have no operands here, which are no
// registers of its own.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define volatile(...) ("")
#include "engine/ciphers/aes/aes_instruction_core.hpp"
#include "engine/ciphers/aes/aes_keyed_core.hpp"
#undef volatile

namespace prove {
namespace {

using phalanx::Direction;
using phalanx::NeonWord;
using phalanx::Word128;
using phalanx::Word256;
using phalanx::Word512;

// CIPHER() or EQINVCIPHER() under round keys in the order of their use.
Signals specified_rounds(Direction direction, const Signals& round_keys, const Signals& block) {
  const Signals words = direction == Direction::encrypt ? round_keys : aes_round_keys_reversed(round_keys);
  return specified_aes_rounds(direction, words, block);
}

template <class Core, std::size_t key_bytes>
Recording key_schedule() {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  static typename Core::Schedule schedule;
  Core::expand_key(key, key_bytes, schedule);
  const Signals made = read_memory(schedule.round_keys, sizeof schedule.round_keys);
  return {made, specified_aes_schedule(key_inputs, made)};
}

// A key in each lane, expanded together. INVMIXCOLUMNS() is an AESDEC of an AESENCLAST there, whose substitutions undo one
// another.
template <class Core, std::size_t key_bytes>
Recording lane_key_schedule() {
  static std::uint8_t keys[Core::lanes * key_bytes];  // eight bytes of every lane's key, then the next eight
  std::vector<Signals> inputs(Core::lanes);
  for (std::size_t at = 0; at < sizeof keys; at += 8) {
    Signals& lane = inputs[at / 8 % Core::lanes];
    lane = joined(lane, unknown_memory(keys + at, 8));
  }
  static typename Core::LaneSchedules schedules;
  static std::map<Signals, Signals> substituted_from;
  aes_substituted_from = &substituted_from;
  for (std::size_t lane = 0; lane < Core::lanes; lane += Core::key_lanes) {
    Core::expand_lane_keys(keys, key_bytes, lane, schedules);
  }
  aes_substituted_from = nullptr;
  std::vector<Signals> outputs(Core::lanes);
  for (auto& direction : schedules.round_keys) {
    for (auto& round : direction) {
      for (std::size_t lane = 0; lane < Core::lanes; ++lane) {
        outputs[lane] = joined(outputs[lane], read_memory(round[lane], 16));
      }
    }
  }
  const Signals made = one_of_equal_lanes(outputs, inputs);
  return {made, specified_aes_schedule(inputs[0], made)};
}

// A schedule of any round keys.
template <class Core, Direction direction>
struct UnknownSchedule {
  typename Core::Schedule schedule;
  Signals round_keys = unknown_memory(schedule.round_keys[static_cast<int>(direction)],
                                      sizeof schedule.round_keys[static_cast<int>(direction)]);
  ~UnknownSchedule() { forget_memory(&schedule, sizeof schedule); }
};
template <class Core, Direction direction>
Recording shared_key_rounds() {
  static UnknownSchedule<Core, direction> key;
  UnknownBlocks<16, Core::lanes> blocks;
  using Vector = typename Core::Vector;
  Core::template crypt<direction>(key.schedule, loads_of<Vector>(blocks.bytes), stores_to<Vector>(blocks.bytes));
  return {one_of_equal_lanes(blocks.now(), blocks.inputs), specified_rounds(direction, key.round_keys, blocks.inputs[0])};
}
template <class Core, Direction direction>
Recording single_block_rounds() {
  static UnknownSchedule<Core, direction> key;
  UnknownBlocks<16, 1> block;
  Core::template crypt_block<direction>(key.schedule, block.bytes, block.bytes);
  return {block.now()[0], specified_rounds(direction, key.round_keys, block.inputs[0])};
}
// Schedules of any round keys, each put where its lane is.
template <class Core, Direction direction>
Recording lane_keys_rounds() {
  static UnknownSchedule<Core, direction> keys[Core::lanes];
  static typename Core::LaneSchedules schedules;
  UnknownBlocks<16, Core::lanes> blocks;
  std::vector<Signals> inputs;
  for (std::size_t lane = 0; lane < Core::lanes; ++lane) {
    Core::template set_lane_for<direction>(schedules, lane, keys[lane].schedule);
    inputs.push_back(joined(keys[lane].round_keys, blocks.inputs[lane]));
  }
  using Vector = typename Core::Vector;
  Core::template crypt_lanes<direction>(schedules, loads_of<Vector>(blocks.bytes), stores_to<Vector>(blocks.bytes));
  return {one_of_equal_lanes(blocks.now(), inputs), specified_rounds(direction, keys[0].round_keys, blocks.inputs[0])};
}

template <class Core, Direction direction>
void add_rounds(std::vector<Claim>& claims, const std::string& cipher, const std::string& group) {
  const std::string what = cipher + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key." + group + ".rounds", shared_key_rounds<Core, direction>});
  claims.push_back({what + ".lane_keys." + group + ".rounds", lane_keys_rounds<Core, direction>});
}
template <class Core, std::size_t key_bytes>
void add_single_blocks(std::vector<Claim>& claims, const std::string& cipher, const std::string& set) {
  claims.push_back({cipher + ".key_schedule." + set, key_schedule<Core, key_bytes>});
  claims.push_back({cipher + ".encrypt.single_block." + set + ".rounds", single_block_rounds<Core, Direction::encrypt>});
  claims.push_back({cipher + ".decrypt.single_block." + set + ".rounds", single_block_rounds<Core, Direction::decrypt>});
}
// A core and those of narrower groups.
template <class Core, std::size_t key_bytes>
void add_groups(std::vector<Claim>& claims, const std::string& cipher, const std::string& set) {
  const std::string group = set + "." + std::to_string(Core::lanes) + "_blocks";
  claims.push_back({cipher + ".lane_key_schedule." + group, lane_key_schedule<Core, key_bytes>});
  add_rounds<Core, Direction::encrypt>(claims, cipher, group);
  add_rounds<Core, Direction::decrypt>(claims, cipher, group);
  if constexpr (requires { typename Core::Narrower; }) add_groups<typename Core::Narrower, key_bytes>(claims, cipher, set);
}
template <std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  constexpr int num_rounds = key_bytes / 4 + 6;
  using Avx2 = phalanx::AesInstructionCore<Word128, Word128, num_rounds>;
  using Neon = phalanx::AesKeyedCore<NeonWord, num_rounds>;
  const std::string cipher = "aes_" + std::to_string(8 * key_bytes);
  add_single_blocks<Avx2, key_bytes>(claims, cipher, "aesni");
  add_single_blocks<Neon, key_bytes>(claims, cipher, "neon");
  add_groups<Avx2, key_bytes>(claims, cipher, "avx2");
  add_groups<phalanx::AesInstructionCore<Word256, Word128, num_rounds>, key_bytes>(claims, cipher, "avx2_vaes");
  add_groups<phalanx::AesInstructionCore<Word512, Word128, num_rounds>, key_bytes>(claims, cipher, "avx512");
  add_groups<Neon, key_bytes>(claims, cipher, "neon");
}

}  // namespace

std::vector<Claim> aes_instruction_claims() {
  std::vector<Claim> claims;
  add_claims<16>(claims);
  add_claims<24>(claims);
  add_claims<32>(claims);
  return claims;
}

}  // namespace prove
