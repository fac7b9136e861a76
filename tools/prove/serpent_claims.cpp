// Serpent: whole cores of both kinds, over four lanes of 32 bits and a GPU's register, with their key schedules.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/ciphers/serpent/gpu_serpent.hpp"
#include "engine/lanes/word_neon.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Direction;
using TwoInput = phalanx::FourLanes<false>;
using ThreeInput = phalanx::FourLanes<true>;
using PlainCore = phalanx::SerpentCore<TwoInput, TwoInput, 2, 2>;
using KeyedCore = phalanx::SerpentKeyedCore<ThreeInput, ThreeInput, 4>;
using NeonCore = phalanx::SerpentCore<phalanx::NeonWord, phalanx::NeonWord, 2, 2>;
using RoundsCore = phalanx::SerpentCore<ThreeInput, ThreeInput, 2, 0>;  // of the rounds that SerpentFewBlocks has

Signals serpent_by_rounds(Direction direction, const Signals& key, const Signals& block);

template <class Core, Direction direction, std::size_t key_bytes>
Recording shared_key() {
  return record_shared_key<Core, direction, key_bytes>(::std::same_as<Core, KeyedCore> ? serpent_by_rounds
                                                                                       : specified_serpent);
}
template <class Core, Direction direction, std::size_t key_bytes>
Recording lane_keys() {
  return record_lane_keys<Core, direction, key_bytes>(specified_serpent);
}
template <class Core, Direction direction, std::size_t key_bytes>
Recording single_block() {
  return record_single_block<Core, direction, key_bytes>(specified_serpent);
}

// The blocks of a GPU's thread: two in the kernel of ranges, one in that of batches.
template <unsigned num_blocks, Direction direction, std::size_t key_bytes>
Recording gpu_shared_key() {
  using Core = phalanx::GpuSerpent<num_blocks>;
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  UnknownBlocks<16, num_blocks> blocks;
  typename Core::Schedule schedule;
  Core::expand_key(key, key_bytes, schedule);
  phalanx::GpuBlock128 x[num_blocks];
  for (unsigned i = 0; i < num_blocks; ++i) x[i] = phalanx::load_block<4>(blocks.bytes, i, true);
  Core{}.template crypt<direction>(schedule, x);
  for (unsigned i = 0; i < num_blocks; ++i) phalanx::store_block<4>(blocks.bytes, i, x[i], true);
  forget_memory(key, key_bytes);
  return {one_of_equal_lanes(blocks.now(), blocks.inputs), serpent_by_rounds(direction, key_inputs, blocks.inputs[0])};
}
// ... with a key of its own.
template <Direction direction, std::size_t key_bytes>
Recording gpu_lane_keys() {
  using Core = phalanx::GpuSerpentOfKeys;
  alignas(16) std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  UnknownBlocks<16, 1> block;
  alignas(16) static std::uint8_t vectors[16 * Core::key_vectors];
  const phalanx::GpuMessageKeys keys{vectors, 1, 0};
  Core::expand_key<direction>(key, key_bytes, keys);
  phalanx::GpuBlock128 x = phalanx::load_block<4>(block.bytes, 0, true);
  Core{}.crypt<direction>(keys, key_bytes, x);
  phalanx::store_block<4>(block.bytes, 0, x, true);
  forget_memory(key, key_bytes);
  return {block.now()[0], specified_serpent(direction, key_inputs, block.inputs[0])};
}

// The rounds of serpent_keyed_core.hpp one by one, for all states and all round keys. Between them words 1 and 3 hold their
// keys, and words 0 and 2 what the schedule's `encrypt` adds less than the key: so next to the specification's state B
// stands
//   B0 ^ K0 ^ encrypt0, B1 ^ K1, B2 ^ K2 ^ encrypt2, B3 ^ K3.
// Decryption leaves the key out until the next round: next to B ^ K stands B.

// The four words of a block or key in a GPU's registers, as signals.
template <class Word>
Signals signals_of(const Word* x) {
  return read_memory(x, 16);
}

using Rounds = phalanx::SerpentKeyedRounds<phalanx::GpuWord, 1>;
using Words = phalanx::GpuWord[4];
using RoundKey = phalanx::std::uint32_t[4];

template <unsigned box>
void encrypt_round_of(const RoundKey* keys, Words* x) {
  Rounds::encrypt_round<box>(keys, x);
}
template <unsigned box>
void decrypt_round_of(const RoundKey& key, Words* x) {
  Rounds::decrypt_round<box, false>(key, x);
}
// By the box of a round, 0 to 7.
constexpr void (*encrypt_round[8])(const RoundKey* keys, Words* x) = {
    encrypt_round_of<0>, encrypt_round_of<1>, encrypt_round_of<2>, encrypt_round_of<3>,
    encrypt_round_of<4>, encrypt_round_of<5>, encrypt_round_of<6>, encrypt_round_of<7>};
constexpr void (*decrypt_round[8])(const RoundKey& key, Words* x) = {
    decrypt_round_of<0>, decrypt_round_of<1>, decrypt_round_of<2>, decrypt_round_of<3>,
    decrypt_round_of<4>, decrypt_round_of<5>, decrypt_round_of<6>, decrypt_round_of<7>};

struct KeyedRounds {
  phalanx::SerpentKeyedSchedule schedule;
  std::vector<Signals> K;
  Signals B;
  Recording recording;

  KeyedRounds() {
    for (auto& key : schedule.key) K.push_back(unknown_memory(key, sizeof key));
    schedule.place_keys<phalanx::GpuWord>();
    B = graph().inputs(128);
  }
  // What stands beside a state before a round; the same turns it back.
  [[nodiscard]] Signals beside(unsigned round, const Signals& state) const {
    Signals added = K[round];
    const Signals placed = signals_of(schedule.encrypt[round]);
    for (std::size_t i = 0; i < 128; ++i) {
      if (i / 32 % 2 == 0) added[i] = graph().xor_of(added[i], placed[i]);
    }
    return xor_of(state, added);
  }
  template <class Round>
  static Signals run(const Signals& state, Round round) {
    Words x[1];
    write_memory(x, state);
    round(x);
    return signals_of(x[0]);
  }
  void compare(const Signals& implementation, const Signals& specification) {
    recording.implementation.insert(recording.implementation.end(), implementation.begin(), implementation.end());
    recording.specification.insert(recording.specification.end(), specification.begin(), specification.end());
  }
};

// x[1] and x[3] of a block take their keys before the first round.
void add_first_keys(const phalanx::SerpentKeyedSchedule& schedule, Words* x) {
  for (const unsigned i : {1, 3}) x[0][i].bits ^= schedule.encrypt[0][i];
}
// All four take the last of decryption.
void add_last_keys(const phalanx::SerpentKeyedSchedule& schedule, Words* x) {
  for (unsigned i = 0; i < 4; ++i) x[0][i].bits ^= schedule.decrypt[0][i];
}

Recording keyed_encrypt_rounds() {
  KeyedRounds all;
  const auto& keys = all.schedule.encrypt;
  all.compare(KeyedRounds::run(all.B, [&](Words* x) { add_first_keys(all.schedule, x); }), all.beside(0, all.B));
  for (unsigned round = 0; round < 31; ++round) {
    const Signals out =
        KeyedRounds::run(all.beside(round, all.B), [&](Words* x) { encrypt_round[round % 8](keys + round, x); });
    all.compare(all.beside(round + 1, out), specified_serpent_round(Direction::encrypt, round, all.K[round], all.B));
  }
  const Signals out = KeyedRounds::run(all.beside(31, all.B), [&](Words* x) { Rounds::encrypt_last(keys + 31, x); });
  all.compare(out, xor_of(specified_serpent_round(Direction::encrypt, 31, all.K[31], all.B), all.K[32]));
  return all.recording;
}

Recording keyed_decrypt_rounds() {
  KeyedRounds all;
  const auto& keys = all.schedule.decrypt;
  for (unsigned round = 0; round < 31; ++round) {
    const Signals out = KeyedRounds::run(all.B, [&](Words* x) { decrypt_round[round % 8](keys[round + 1], x); });
    all.compare(out, specified_serpent_round(Direction::decrypt, round, all.K[round + 1], all.B));
  }
  const Signals out = KeyedRounds::run(all.B, [&](Words* x) { Rounds::decrypt_round<7, true>(keys[32], x); });
  all.compare(out, specified_serpent_round(Direction::decrypt, 31, all.K[32], all.B));
  all.compare(KeyedRounds::run(all.B, [&](Words* x) { add_last_keys(all.schedule, x); }), xor_of(all.B, all.K[0]));
  return all.recording;
}

// The round keys before they are placed.
template <std::size_t key_bytes>
Recording key_schedule() {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  phalanx::SerpentSchedule schedule;
  phalanx::SerpentKeySchedule::expand(key, key_bytes, schedule);
  forget_memory(key, key_bytes);
  return {read_memory(schedule.key, sizeof schedule.key), specified_serpent_keys(key_inputs)};
}

// The shipped schedule and rounds, called one after the other in the paper's order: what the keyed cores come to.
Signals serpent_by_rounds(Direction direction, const Signals& key, const Signals& block) {
  std::uint8_t bytes[32];
  write_memory(bytes, key);
  phalanx::SerpentKeyedSchedule schedule;
  phalanx::SerpentKeySchedule::expand(bytes, key.size() / 8, schedule);
  schedule.place_keys<phalanx::GpuWord>();
  forget_memory(bytes, sizeof bytes);
  return KeyedRounds::run(block, [&](Words* x) {
    if (direction == Direction::encrypt) {
      add_first_keys(schedule, x);
      for (unsigned round = 0; round < 31; ++round) encrypt_round[round % 8](schedule.encrypt + round, x);
      Rounds::encrypt_last(schedule.encrypt + 31, x);
    } else {
      Rounds::decrypt_round<7, true>(schedule.decrypt[32], x);
      for (unsigned round = 31; round-- > 0;) decrypt_round[round % 8](schedule.decrypt[round + 1], x);
      add_last_keys(schedule, x);
    }
  });
}
// The specification as its rounds, in the order of serpent_by_rounds.
template <Direction direction, std::size_t key_bytes>
Recording specified_by_rounds() {
  const Signals key = graph().inputs(8 * key_bytes);
  const Signals block = graph().inputs(128);
  const Signals keys = specified_serpent_keys(key);
  const auto K = [&](unsigned i) { return Signals(keys.begin() + 128 * i, keys.begin() + 128 * (i + 1)); };
  Signals B = block;
  if (direction == Direction::encrypt) {
    for (unsigned round = 0; round < 32; ++round) B = specified_serpent_round(direction, round, K(round), B);
    B = xor_of(B, K(32));
  } else {
    for (unsigned round = 32; round-- > 0;) B = specified_serpent_round(direction, round, K(round + 1), B);
    B = xor_of(B, K(0));
  }
  return {B, specified_serpent(direction, key, block)};
}

template <Direction direction, std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  const std::string what = std::to_string(8 * key_bytes) + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({"serpent_" + what + ".shared_key.two_input", shared_key<PlainCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".shared_key.three_input.by_rounds", shared_key<KeyedCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".lane_keys.two_input", lane_keys<PlainCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".lane_keys.three_input", lane_keys<KeyedCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".shared_key.neon", shared_key<NeonCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".lane_keys.neon", lane_keys<NeonCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".single_block.two_input", single_block<PlainCore, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".few_blocks.three_input", shared_key<RoundsCore, direction, key_bytes>});
  claims.push_back({"gpu_serpent_" + what + ".shared_key.by_rounds", gpu_shared_key<2, direction, key_bytes>});
  claims.push_back({"gpu_serpent_" + what + ".batch.by_rounds", gpu_shared_key<1, direction, key_bytes>});
  claims.push_back({"serpent_" + what + ".specified_by_rounds", specified_by_rounds<direction, key_bytes>});
  claims.push_back({"gpu_serpent_" + what + ".lane_keys", gpu_lane_keys<direction, key_bytes>});
}

}  // namespace

std::vector<Claim> serpent_claims() {
  std::vector<Claim> claims = {{"serpent_128.key_schedule", key_schedule<16>},
                               {"serpent_192.key_schedule", key_schedule<24>},
                               {"serpent_256.key_schedule", key_schedule<32>},
                               {"serpent_keyed.encrypt.rounds", keyed_encrypt_rounds},
                               {"serpent_keyed.decrypt.rounds", keyed_decrypt_rounds}};
  add_claims<Direction::encrypt, 16>(claims);
  add_claims<Direction::decrypt, 16>(claims);
  add_claims<Direction::encrypt, 24>(claims);
  add_claims<Direction::decrypt, 24>(claims);
  add_claims<Direction::encrypt, 32>(claims);
  add_claims<Direction::decrypt, 32>(claims);
  return claims;
}

}  // namespace prove
