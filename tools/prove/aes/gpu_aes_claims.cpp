// AES as a GPU's thread computes it, here on the host. Tables are taken as functions: what a kernel fills them with is
// compared with the standard's at every index, as each lane looks it up, and rounds are recorded over such functions, under
// any round keys. clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "aes/aes_specification.hpp"
#include "engine/ciphers/aes/gpu_aes.hpp"
#include "lane_table_look_ups.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Direction;
using phalanx::GpuBlock128;
using phalanx::HalfLaneTables;
using phalanx::LaneTables;
using Recorded32 = phalanx::std::uint32_t;

Signals known_byte(unsigned x) {
  Signals byte;
  for (unsigned bit = 0; bit < 8; ++bit) byte.push_back(x >> bit & 1);
  return byte;
}

// What the tables of a direction hold, as functions.
template <Direction direction>
struct TableFunctions {
  template <unsigned table, unsigned byte>
  [[nodiscard]] Recorded32 look_up(const Recorded32& x) const {
    return Recorded32::of(specified_aes_share(direction, table, part(x.bits(), 8 * byte, 8)));
  }
};

// As a kernel fills its shared memory, and every pair of a table and a byte that rounds look up.
template <Direction direction, class Tables>
Recording tables() {
  constexpr unsigned num_tables = phalanx::GpuAes<10, Tables>::num_tables;
  alignas(16) static std::uint8_t memory[LaneTables::bytes_of(num_tables)];
  phalanx::fill_aes_tables<direction, num_tables>(memory);
  Recording recording;
  const auto check = [&]<unsigned table, unsigned byte>() {
    look_up_everywhere<table, byte>(
        [](unsigned lane) {
          return Tables{LaneTables{memory, 4 * lane}};
        },
        [](unsigned x) { return specified_aes_share(direction, table, known_byte(x)); }, recording);
  };
  check.template operator()<0, 0>();
  check.template operator()<1, 1>();
  check.template operator()<2, 2>();
  check.template operator()<3, 3>();
  if constexpr (direction == Direction::encrypt) {  // the last round
    check.template operator()<3, 0>();
    check.template operator()<0, 1>();
    check.template operator()<1, 2>();
    check.template operator()<2, 3>();
  }
  return recording;
}

template <std::size_t key_bytes>
Recording key_schedule() {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  static phalanx::AesTableSchedule<key_bytes / 4 + 6> schedule;
  schedule.expand(key);
  const Signals made = read_memory(schedule.round_keys, sizeof schedule.round_keys);
  return {made, specified_aes_schedule(key_inputs, made)};
}
template <std::size_t key_bytes>
Recording lane_key_schedule() {
  using Core = phalanx::GpuAesOfKeys<key_bytes / 4 + 6>;
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  alignas(16) static std::uint8_t vectors[2][16 * Core::key_vectors];
  Core::template expand_key<Direction::encrypt>(key, key_bytes, phalanx::GpuMessageKeys{vectors[0], 1, 0});
  Core::template expand_key<Direction::decrypt>(key, key_bytes, phalanx::GpuMessageKeys{vectors[1], 1, 0});
  const Signals made = read_memory(vectors, sizeof vectors);
  return {made, specified_aes_schedule(key_inputs, made)};
}

// A thread's block under any round keys, which stand in memory in the order of their use.
template <Direction direction, class Crypt>
Recording rounds(const Signals& round_keys, Crypt crypt) {
  UnknownBlocks<16, 1> block;
  GpuBlock128 x = phalanx::load_block<4>(block.bytes, 0, true);
  crypt(x);
  phalanx::store_block<4>(block.bytes, 0, x, true);
  const Signals words = direction == Direction::encrypt ? round_keys : aes_round_keys_reversed(round_keys);
  return {block.now()[0], specified_aes_rounds(direction, words, block.inputs[0])};
}
template <Direction direction, int num_rounds>
Recording shared_key_rounds() {
  using Core = phalanx::GpuAes<num_rounds, TableFunctions<direction>>;
  static typename Core::Schedule schedule;
  auto& round_keys = schedule.round_keys[static_cast<unsigned>(direction)];
  const Signals unknown = unknown_memory(round_keys, sizeof round_keys);
  return rounds<direction>(unknown, [](GpuBlock128& x) { Core{}.template crypt<direction>(schedule, &x); });
}
template <Direction direction, int num_rounds>
Recording lane_keys_rounds() {
  alignas(16) static std::uint8_t vectors[16 * (num_rounds + 1)];
  const phalanx::GpuMessageKeys keys{vectors, 1, 0};
  return rounds<direction>(unknown_memory(vectors, sizeof vectors), [&](GpuBlock128& x) {
    phalanx::aes_table_crypt<direction, num_rounds>(TableFunctions<direction>{}, keys, x.word);
  });
}

// What counters have in common is prepared with one of them, and goes for any last byte: the state after two rounds.
Recording counter_rounds() {
  Recorded32 round_keys[3][4];
  const Signals w = unknown_memory(round_keys, sizeof round_keys);
  Recorded32 counter[4];
  Signals other = unknown_memory(counter, sizeof counter);
  phalanx::AesCounterRounds rounds;
  rounds.prepare(TableFunctions<Direction::encrypt>{}, round_keys, counter);
  for (std::size_t i = 0; i < 8; ++i) other[8 * 15 + i] = graph().input();
  Recorded32 state[4];
  rounds.run(TableFunctions<Direction::encrypt>{}, Recorded32::of(Signals(other.begin() + 96, other.end())), state);
  return {read_memory(state, sizeof state), specified_aes_first_rounds(w, other, 2)};
}

template <Direction direction, int num_rounds>
void add_rounds(std::vector<Claim>& claims, const std::string& cipher) {
  const std::string what = cipher + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key.rounds", shared_key_rounds<direction, num_rounds>});
  claims.push_back({what + ".lane_keys.rounds", lane_keys_rounds<direction, num_rounds>});
}
template <std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  const std::string cipher = "gpu_aes_" + std::to_string(8 * key_bytes);
  claims.push_back({cipher + ".key_schedule", key_schedule<key_bytes>});
  claims.push_back({cipher + ".lane_key_schedule", lane_key_schedule<key_bytes>});
  add_rounds<Direction::encrypt, key_bytes / 4 + 6>(claims, cipher);
  add_rounds<Direction::decrypt, key_bytes / 4 + 6>(claims, cipher);
}

}  // namespace

std::vector<Claim> gpu_aes_claims() {
  std::vector<Claim> claims = {{"gpu_aes.encrypt.four_tables", tables<Direction::encrypt, LaneTables>},
                               {"gpu_aes.decrypt.four_tables", tables<Direction::decrypt, LaneTables>},
                               {"gpu_aes.encrypt.two_tables", tables<Direction::encrypt, HalfLaneTables>},
                               {"gpu_aes.decrypt.two_tables", tables<Direction::decrypt, HalfLaneTables>},
                               {"gpu_aes.counter_rounds", counter_rounds}};
  add_claims<16>(claims);
  add_claims<24>(claims);
  add_claims<32>(claims);
  return claims;
}

}  // namespace prove
