// Twofish over vectors: tables scanned by shuffles (AVX2), tables in registers (AVX-512, NEON), nibbles where each lane has a
// key of its own; groups of blocks and a few. Key schedules, g, and the rounds around g (cut_g.hpp) are claims of their own:
// docs/proofs.md says how they compose.
// clang-format off: first of all
#include "twofish/recorded_vector.hpp"
// clang-format on
#include "engine/ciphers/twofish/twofish_looked_up.hpp"
#include "engine/ciphers/twofish/twofish_scanned.hpp"
#include "engine/ciphers/twofish/twofish_tables.hpp"
#include "twofish/cut_g.hpp"

namespace prove {
namespace {

using phalanx::NeonWord;
using phalanx::Word256;
using phalanx::Word512;

template <class W>
struct ScheduleOf;
template <>
struct ScheduleOf<Word256> {
  using Type = phalanx::TwofishScannedSchedule<Word256>;
};
template <>
struct ScheduleOf<Word512> {
  using Type = phalanx::TwofishTableSchedule<Word512>;
};
template <>
struct ScheduleOf<NeonWord> {
  using Type = phalanx::TwofishLookedUpSchedule<NeonWord>;
};
template <class W>
using Schedule = typename ScheduleOf<W>::Type;

// The entries of the key-dependent S-boxes, 256 bytes for each column.
using Tables = std::array<Signals, 4>;
Signals entry(const Tables& tables, unsigned column, std::size_t x) { return part_of(tables[column], x, 1); }

// Divided by x modulo v(x) = x^8 + x^6 + x^5 + x^3 + 1: the lowest bit takes (v(x) - 1) / x with it.
Signals divided_by_x(const Signals& y) {
  Signals quotient = {y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[0]};
  for (const std::size_t i : {2, 4, 5}) quotient[i] = graph().xor_of(quotient[i], y[0]);
  return quotient;
}
Signals times_x(const Signals& y) {
  Signals product = {y[7], y[0], y[1], y[2], y[3], y[4], y[5], y[6]};
  for (const std::size_t i : {3, 5, 6}) product[i] = graph().xor_of(product[i], y[7]);
  return product;
}

// Tables where g finds them.
template <class TableSchedule>
void place_tables(const Tables& tables, TableSchedule& schedule) {
  for (unsigned column = 0; column < 4; ++column) {
    for (std::size_t x = 0; x < 256; ++x) write_memory(&schedule.s_box[column][x], divided_by_x(entry(tables, column, x)));
  }
}
void place_tables(const Tables& tables, Schedule<Word256>& schedule) {
  for (unsigned column = 0; column < 4; ++column) {
    for (std::size_t x = 0; x < 256; ++x) {
      const std::size_t row = x / 16;
      const std::size_t low = x % 16;
      const Signals own = entry(tables, column, x);
      const Signals scanned = row % 8 == 0 ? own : xor_of(own, entry(tables, column, x - 16));
      write_memory(&schedule.rows[column][row][low], divided_by_x(scanned));
      Byte(&rows)[2][32] = schedule.block.rows[row % 8][column / 2];
      if (row < 8) {
        write_memory(&rows[0][column % 2 * 16 + low], own);
      } else {
        write_memory(&rows[1][column % 2 * 16 + low], xor_of(own, entry(tables, column, x - 128)));
      }
    }
  }
}
template <class TableSchedule>
Signals placed_tables(const TableSchedule& schedule) {
  return read_memory(schedule.s_box, sizeof schedule.s_box);
}
Signals placed_tables(const Schedule<Word256>& schedule) {
  return joined(
      {read_memory(schedule.rows, sizeof schedule.rows), read_memory(schedule.block.rows, sizeof schedule.block.rows)});
}

template <class W, std::size_t key_bytes>
Recording key_schedule() {
  UnknownItems<key_bytes, 1> key;
  static Schedule<W> schedule;
  Schedule<W>::expand(key.bytes, key_bytes, schedule);
  const TwofishExpanded expanded = specified_twofish_expansion(key.inputs[0]);
  Tables tables;
  for (unsigned column = 0; column < 4; ++column) {
    for (unsigned x = 0; x < 256; ++x) {
      Signals byte;
      for (unsigned bit = 0; bit < 8; ++bit) byte.push_back(x >> bit & 1);
      tables[column] = joined({tables[column], specified_twofish_s_box(column, byte, expanded.S)});
    }
  }
  static Schedule<W> specified;
  place_tables(tables, specified);
  const Signals K = joined({expanded.K.begin(), expanded.K.end()});
  return {joined({read_memory(schedule.key.K, sizeof schedule.key.K), read_memory(schedule.key.L, key_bytes / 2),
                  placed_tables(schedule)}),
          joined({K, joined(expanded.S), placed_tables(specified)})};
}

Tables unknown_tables() {
  Tables tables;
  for (Signals& table : tables) table = graph().inputs(8 * 256);
  return tables;
}
// g by its tables.
TwofishWord g_of_tables(const Tables& tables, const TwofishWord& X) {
  TwofishWord Z(32, zero);
  for (unsigned column = 0; column < 4; ++column) {
    Z = xor_of(Z, specified_twofish_mds_column(column, chosen_byte(tables[column], part_of(X, column, 1))));
  }
  return Z;
}

// Two words of each lane as h_of_both takes them, byte by byte. ROL(y, 8) is what goes through h.
template <class W>
struct LaneWords {
  W x[4], y[4];
  std::vector<Signals> inputs;

  LaneWords() {
    for (std::size_t lane = 0; lane < sizeof(W); ++lane) {
      inputs.push_back(graph().inputs(64));
      put(lane, inputs.back());
    }
  }
  void put(std::size_t lane, const Signals& two_words) {
    for (std::size_t i = 0; i < 4; ++i) {
      write_memory(&x[i].byte[lane], part_of(two_words, i, 1));
      write_memory(&y[i].byte[lane], part_of(two_words, 4 + i, 1));
    }
  }
  [[nodiscard]] std::vector<Signals> now() const {
    std::vector<Signals> lanes;
    for (std::size_t lane = 0; lane < sizeof(W); ++lane) {
      Signals words;
      for (const W* const word : {x, y}) {
        for (std::size_t i = 0; i < 4; ++i) words = joined({words, read_memory(&word[i].byte[lane], 1)});
      }
      lanes.push_back(words);
    }
    return lanes;
  }
};

// A scanned look-up, in one table.
Recording look_up() {
  const Tables tables = unknown_tables();
  static Schedule<Word256> schedule;
  place_tables(tables, schedule);
  UnknownItems<1, 32> bytes;
  Word256 x = Word256::load(bytes.bytes);
  Word256 y = x;
  Schedule<Word256>::look_up_both(schedule.rows[0], x, y);
  x.store(bytes.bytes);
  const Signals first = one_of_equal_lanes(bytes.now(), bytes.inputs);
  y.store(bytes.bytes);
  const Signals second = one_of_equal_lanes(bytes.now(), bytes.inputs);
  const Signals found = divided_by_x(chosen_byte(tables[0], bytes.inputs[0]));
  return {joined({first, second}), joined({found, found})};
}

// g as the paper has it after the shipped look-ups, which give what the tables have, divided by x.
TwofishWord g_as_specified(const Schedule<Word256>& schedule, const Tables& /*tables*/, const TwofishWord& X) {
  TwofishWord Z(32, zero);
  for (unsigned column = 0; column < 4; ++column) {
    Word256 x = Word256::zero();
    write_memory(x.byte, part_of(X, column, 1));
    Word256 y = x;
    Schedule<Word256>::look_up_both(schedule.rows[column], x, y);
    Z = xor_of(Z, specified_twofish_mds_column(column, times_x(read_memory(x.byte, 1))));
  }
  return Z;
}
template <class TableSchedule>
TwofishWord g_as_specified(const TableSchedule& /*schedule*/, const Tables& tables, const TwofishWord& X) {
  return g_of_tables(tables, X);
}

template <class W>
Recording g_of_groups() {
  const Tables tables = unknown_tables();
  static Schedule<W> schedule;
  place_tables(tables, schedule);
  LaneWords<W> words;
  schedule.h_of_both(words.x, words.y);
  const Signals& lane = words.inputs[0];
  return {one_of_equal_lanes(words.now(), words.inputs),
          joined({g_as_specified(schedule, tables, part_of(lane, 0, 4)),
                  g_as_specified(schedule, tables, rotated_left(part_of(lane, 4, 4), 8))})};
}
template <class W>
Recording g_of_few_blocks() {
  const Tables tables = unknown_tables();
  static Schedule<W> schedule;
  place_tables(tables, schedule);
  UnknownItems<4, sizeof(W) / 4> words;
  schedule.g(W::load(words.bytes)).store(words.bytes);
  return {one_of_equal_lanes(words.now(), words.inputs), g_of_tables(tables, words.inputs[0])};
}

template <class W>
using Packed = phalanx::TwofishPacked<W>;

// h_of_both of a group: what each of its blocks asks of g in its byte lane.
template <class W>
void cut_group(CutG* blocks, W x[4], W y[4]) {
  for (std::size_t block = 0; block < Packed<W>::blocks; ++block) {
    const std::size_t lane = Packed<W>::byte_lane_of(block);
    Signals words[2];
    for (std::size_t i = 0; i < 4; ++i) {
      words[0] = joined({words[0], read_memory(&x[i].byte[lane], 1)});
      words[1] = joined({words[1], read_memory(&y[i].byte[lane], 1)});
    }
    const Signals given = blocks[block].call(joined({words[0], rotated_left(words[1], 8)}));
    for (std::size_t i = 0; i < 4; ++i) {
      write_memory(&x[i].byte[lane], part_of(given, i, 1));
      write_memory(&y[i].byte[lane], part_of(given, 4 + i, 1));
    }
  }
}

// A schedule whose g is cut, and whose key words nobody knows. Groups take turns.
template <class W, std::size_t num_groups>
struct CutSchedule : Schedule<W> {
  mutable std::vector<CutG> blocks;
  mutable std::size_t calls = 0;
  Signals K;

  CutSchedule() : blocks(num_groups * sizeof(W)), K(unknown_memory(this->key.K, sizeof this->key.K)) {}
  void h_of_both(W x[4], W y[4]) const { cut_group(&blocks[calls++ % num_groups * sizeof(W)], x, y); }
  // For a few blocks: two words of each stand side by side, the first blocks' in even places (TwofishFewBlocks::crypt).
  [[nodiscard]] W g(const W& x) const {
    constexpr std::size_t num_blocks = sizeof(W) / 8;
    W y;
    for (std::size_t place = 0; place < num_blocks; ++place) {
      CutG& one = blocks[place % 2 * (num_blocks / 2) + place / 2];
      write_memory(y.byte + 8 * place, one.call(read_memory(x.byte + 8 * place, 8)));
    }
    return y;
  }
};

// K: of each block, or one of all.
template <std::size_t num_blocks>
Recording compared_rounds(Direction direction, const std::vector<CutG>& cut, const std::vector<Signals>& K,
                          const UnknownItems<16, num_blocks>& blocks) {
  std::vector<Signals> outputs;
  std::vector<Signals> inputs;
  const std::vector<Signals> now = blocks.now();
  for (std::size_t i = 0; i < num_blocks; ++i) {
    outputs.push_back(cut[i].outputs(now[i]));
    inputs.push_back(joined({blocks.inputs[i], cut[i].inputs()}));
    if (K.size() > 1) inputs[i] = joined({inputs[i], K[i]});
  }
  return {one_of_equal_lanes(outputs, inputs), cut[0].specified(direction, K[0], blocks.inputs[0])};
}

template <class W, std::size_t num_groups, Direction direction>
Recording rounds_of_groups() {
  using Core = phalanx::TwofishPackedCore<W, CutSchedule<W, num_groups>, num_groups>;
  const CutSchedule<W, num_groups> schedule;
  UnknownItems<16, Core::lanes> blocks;
  Core::template crypt<direction>(schedule, blocks.template loads<W>(), blocks.template stores<W>());
  return compared_rounds(direction, schedule.blocks, {schedule.K}, blocks);
}
template <class W, Direction direction>
Recording rounds_of_few_blocks() {
  using Core = phalanx::TwofishFewBlocks<W, CutSchedule<W, 1>>;
  const CutSchedule<W, 1> schedule;
  UnknownItems<16, Core::lanes> blocks;
  Core::template crypt<direction>(schedule, blocks.template loads<W>(), blocks.template stores<W>());
  return compared_rounds(direction, schedule.blocks, {schedule.K}, blocks);
}
template <class W, Direction direction>
Recording rounds_of_single_block() {
  using Core = phalanx::TwofishPackedCore<W, CutSchedule<W, 2>, 2>;
  const CutSchedule<W, 2> schedule;
  UnknownItems<16, 1> block;
  Core::template crypt_block<direction>(schedule, block.bytes, block.bytes);
  return compared_rounds(direction, schedule.blocks, {schedule.K}, block);
}

// A key in each lane. What L is in its lanes: a byte as nibbles a1 and b1 of section 4.3.5.
Signals mixed(const Signals& x) {
  const Signals a0 = {x[4], x[5], x[6], x[7]};
  const Signals b0 = {x[0], x[1], x[2], x[3]};
  const Signals zeros(4, zero);
  const Signals b0_rotated = {b0[1], b0[2], b0[3], b0[0]};
  Signals b1 = xor_of(a0, b0_rotated);
  b1[3] = graph().xor_of(b1[3], a0[0]);
  return joined({xor_of(a0, b0), zeros, b1, zeros});
}
template <class W>
Signals lane_words(const phalanx::TwofishNibbleWords<W>& L, std::size_t lane) {
  Signals words;
  for (std::size_t l = 0; l < L.num_layers; ++l) {
    for (std::size_t column = 0; column < 4; ++column) {
      words = joined({words, read_memory(&L.a[l][column][lane], 1), read_memory(&L.b[l][column][lane], 1)});
    }
  }
  return words;
}
template <class W>
Signals lane_K(const phalanx::TwofishGroupKeys<W>& keys, std::size_t block) {
  Signals K;
  for (const auto& word : keys.words) {
    K = joined({K, read_memory(&word[Packed<W>::row_of(block)][Packed<W>::lane_of(block)], 4)});
  }
  return K;
}

template <class W, std::size_t key_bytes, Lanes lanes>
Recording lane_key_schedule() {
  using Core = phalanx::TwofishPackedCore<W, Schedule<W>, 2>;
  Byte keys[Core::lanes * key_bytes];  // eight bytes of every lane's key, then the next eight
  fill_memory(keys, 0, sizeof keys);
  std::vector<Signals> inputs(Core::lanes);
  for (std::size_t at = 0; at < sizeof keys; at += 8) {
    const std::size_t lane = at / 8 % Core::lanes;
    if (is_unknown<lanes, Core::lanes>(lane)) inputs[lane] = joined({inputs[lane], unknown_memory(keys + at, 8)});
  }
  static typename Core::LaneSchedules schedules;
  for (std::size_t lane = 0; lane < Core::lanes; lane += Core::key_lanes) {
    Core::expand_lane_keys(keys, key_bytes, lane, schedules);
  }
  std::vector<Signals> outputs;
  for (std::size_t lane = 0; lane < Core::lanes; ++lane) {
    const auto& group = schedules.group(lane / Packed<W>::blocks);
    const std::size_t block = lane % Packed<W>::blocks;
    outputs.push_back(joined({lane_K(group, block), lane_words(group.L, Packed<W>::byte_lane_of(block))}));
  }
  const TwofishExpanded expanded = specified_twofish_expansion(inputs[0]);
  Signals specified = joined({expanded.K.begin(), expanded.K.end()});
  for (const TwofishWord& S : expanded.S) {
    for (std::size_t column = 0; column < 4; ++column) specified = joined({specified, mixed(part_of(S, column, 1))});
  }
  return {of_unknown_lanes(outputs, inputs), specified};
}

template <class W, unsigned num_layers>
Recording lane_g() {
  static phalanx::TwofishGroupKeys<W> keys;
  keys.L.num_layers = num_layers;
  LaneWords<W> words;
  std::vector<Signals> inputs = words.inputs;
  std::vector<TwofishWord> L;
  for (std::size_t lane = 0; lane < sizeof(W); ++lane) {
    for (std::size_t l = 0; l < num_layers; ++l) {
      const Signals word = graph().inputs(32);
      if (lane == 0) L.push_back(word);
      inputs[lane] = joined({inputs[lane], word});
      for (std::size_t column = 0; column < 4; ++column) {
        const Signals nibbles = mixed(part_of(word, column, 1));
        write_memory(&keys.L.a[l][column][lane], part_of(nibbles, 0, 1));
        write_memory(&keys.L.b[l][column][lane], part_of(nibbles, 1, 1));
      }
    }
  }
  keys.h_of_both(words.x, words.y);
  const TwofishWord Y = rotated_left(part_of(words.inputs[0], 4, 4), 8);
  return {one_of_equal_lanes(words.now(), inputs),
          joined({specified_twofish_h(part_of(words.inputs[0], 0, 4), L), specified_twofish_h(Y, L)})};
}

// Keys of all lanes whose g is cut, and whose key words nobody knows.
template <class W, std::size_t num_groups>
struct CutLaneKeys {
  struct Group : phalanx::TwofishGroupKeys<W> {
    mutable std::vector<CutG> blocks;
    Group() : blocks(sizeof(W)) { unknown_memory(this->words, sizeof this->words); }
    void h_of_both(W x[4], W y[4]) const { cut_group(blocks.data(), x, y); }
  };
  Group groups[num_groups];

  [[nodiscard]] const Group& group(std::size_t number) const { return groups[number]; }
};
template <class W, Direction direction>
Recording rounds_of_lane_keys() {
  using Core = phalanx::TwofishPackedCore<W, Schedule<W>, 2>;
  static const CutLaneKeys<W, 2> keys;
  UnknownItems<16, Core::lanes> blocks;
  Core::template crypt_groups<direction>(keys, blocks.template loads<W>(), blocks.template stores<W>());
  std::vector<CutG> cut;
  std::vector<Signals> K;
  for (const auto& group : keys.groups) {
    cut.insert(cut.end(), group.blocks.begin(), group.blocks.end());
    for (std::size_t block = 0; block < sizeof(W); ++block) K.push_back(lane_K(group, block));
  }
  return compared_rounds(direction, cut, K, blocks);
}

template <class W, Direction direction>
void add_rounds(const std::string& set, std::vector<Claim>& claims) {
  const std::string what = direction == Direction::encrypt ? "twofish.encrypt" : "twofish.decrypt";
  claims.push_back({what + ".two_groups." + set + ".rounds", rounds_of_groups<W, 2, direction>});
  claims.push_back({what + ".one_group." + set + ".rounds", rounds_of_groups<W, 1, direction>});
  claims.push_back({what + ".few_blocks." + set + ".rounds", rounds_of_few_blocks<W, direction>});
  claims.push_back({what + ".single_block." + set + ".rounds", rounds_of_single_block<W, direction>});
  claims.push_back({what + ".lane_keys." + set + ".rounds", rounds_of_lane_keys<W, direction>});
}
template <class W, std::size_t key_bytes>
void add_keys(const std::string& set, std::vector<Claim>& claims) {
  const std::string what = "twofish_" + std::to_string(8 * key_bytes);
  // Both sets share the source; the words of AVX2 have their turn in `make prove`.
  constexpr bool slow = sizeof(W) == 64 && key_bytes > 16;
  claims.push_back({what + ".key_schedule." + set, key_schedule<W, key_bytes>, slow});
  claims.push_back({what + ".lane_key_schedule." + set + ".some_lanes", lane_key_schedule<W, key_bytes, Lanes::some>, slow});
  claims.push_back({what + ".lane_key_schedule." + set, lane_key_schedule<W, key_bytes, Lanes::all>, true});
  claims.push_back({what + ".lane_g." + set, lane_g<W, key_bytes / 8>});
}
template <class W>
void add_claims(const std::string& set, std::vector<Claim>& claims) {
  add_keys<W, 16>(set, claims);
  add_keys<W, 24>(set, claims);
  add_keys<W, 32>(set, claims);
  add_rounds<W, Direction::encrypt>(set, claims);
  add_rounds<W, Direction::decrypt>(set, claims);
  claims.push_back({"twofish.g_of_groups." + set + (sizeof(W) == 32 ? ".by_look_ups" : ""), g_of_groups<W>});
  claims.push_back({"twofish.g_of_few_blocks." + set, g_of_few_blocks<W>});
}

}  // namespace

std::vector<Claim> packed_twofish_claims() {
  std::vector<Claim> claims = {{"twofish.look_up.avx2", look_up}};
  add_claims<Word256>("avx2", claims);
  add_claims<Word512>("avx512", claims);
  add_claims<NeonWord>("neon", claims);
  return claims;
}

}  // namespace prove
