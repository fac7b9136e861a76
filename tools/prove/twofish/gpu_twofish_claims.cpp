// Twofish as a GPU's thread computes it, here on the host. Tables are taken as functions: what fills them is compared with
// the paper's functions at every index, and a look-up gives the entry of its index (lane_tables below). The rounds are
// recorded around g (cut_g.hpp): docs/proofs.md says how all that composes.
// clang-format off: first of all
#include "twofish/recorded_twofish.hpp"
// clang-format on
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "lane_table_look_ups.hpp"
#include "twofish/cut_g.hpp"

namespace prove {
namespace {

using phalanx::GpuBlock128;
using phalanx::GpuMessageKeys;
using phalanx::GpuTwofishOfKeys;
using phalanx::LaneTables;
using Recorded32 = phalanx::std::uint32_t;
template <class Tables>
using FourTables = phalanx::TwofishFourTables<Tables>;
template <class Tables>
using OneTable = phalanx::TwofishOneTable<Tables>;

Signals known_byte(unsigned x) {
  Signals byte;
  for (unsigned bit = 0; bit < 8; ++bit) byte.push_back(x >> bit & 1);
  return byte;
}

// The schedule of one key: its words, and the entries of g's tables.
template <std::size_t key_bytes>
Recording key_schedule() {
  UnknownItems<key_bytes, 1> key;
  static phalanx::TwofishTableSchedule schedule;
  schedule.expand(key.bytes, key_bytes);
  const TwofishExpanded expanded = specified_twofish_expansion(key.inputs[0]);
  Signals specified = joined({expanded.K.begin(), expanded.K.end()});
  for (std::size_t r = 0; r < 16; ++r) {
    Signals less = expanded.K[2 * r + 8];
    for (Literal& bit : less) bit = not_of(bit);
    specified = joined({specified, add(expanded.K[2 * r + 9], less, one)});
  }
  Signals number_one(32, zero);
  number_one[0] = one;
  std::vector<Signals> all = {specified, number_one};
  for (unsigned column = 0; column < 4; ++column) {
    for (unsigned x = 0; x < 256; ++x) {
      const Signals y = specified_twofish_s_box(column, known_byte(x), expanded.S);
      all.push_back(specified_twofish_mds_column(column, y));
    }
  }
  return {
      joined({read_memory(schedule.K, sizeof schedule.K), read_memory(schedule.K_difference, sizeof schedule.K_difference),
              read_memory(&schedule.one, sizeof schedule.one), read_memory(schedule.table, sizeof schedule.table)}),
      joined(all)};
}

// The words of a key of its own, as vectors: K, then L.
template <std::size_t key_bytes>
Recording lane_key_schedule() {
  UnknownItems<key_bytes, 1> key;
  alignas(16) static Byte vectors[16 * GpuTwofishOfKeys::key_vectors];
  GpuTwofishOfKeys::expand_key<Direction::encrypt>(key.bytes, key_bytes, GpuMessageKeys{vectors, 1, 0});
  const TwofishExpanded expanded = specified_twofish_expansion(key.inputs[0]);
  return {read_memory(vectors, 160 + key_bytes / 2),
          joined({joined({expanded.K.begin(), expanded.K.end()}), joined(expanded.S)})};
}

// Tables that nobody knows, filled as those of a kernel, and looked up.
template <unsigned num_tables, unsigned table, unsigned byte>
void look_up_unknown(const LaneTables& tables, const std::vector<Signals>& entries, Recording& recording) {
  look_up_everywhere<table, byte>(
      [&](unsigned lane) {
        return LaneTables{tables.memory, 4 * lane};
      },
      [&](unsigned index) { return entries[num_tables * index + table]; }, recording);
}
template <unsigned num_tables>
Recording lane_tables() {
  std::vector<Signals> entries;
  for (unsigned i = 0; i < 256 * num_tables; ++i) entries.push_back(graph().inputs(32));
  alignas(16) static Byte memory[LaneTables::bytes_of(num_tables)];
  const LaneTables tables = LaneTables::fill<num_tables>(memory, [&](unsigned x, Recorded32* words) {
    for (unsigned table = 0; table < num_tables; ++table) words[table] = Recorded32::of(entries[num_tables * x + table]);
  });
  Recording recording;
  look_up_unknown<num_tables, 0, 0>(tables, entries, recording);
  if constexpr (num_tables == 4) {
    look_up_unknown<num_tables, 1, 1>(tables, entries, recording);
    look_up_unknown<num_tables, 2, 2>(tables, entries, recording);
    look_up_unknown<num_tables, 3, 3>(tables, entries, recording);
    look_up_unknown<num_tables, 0, 3>(tables, entries, recording);
    look_up_unknown<num_tables, 1, 0>(tables, entries, recording);
    look_up_unknown<num_tables, 2, 1>(tables, entries, recording);
    look_up_unknown<num_tables, 3, 2>(tables, entries, recording);
  } else {
    look_up_unknown<num_tables, 0, 1>(tables, entries, recording);
    look_up_unknown<num_tables, 0, 2>(tables, entries, recording);
    look_up_unknown<num_tables, 0, 3>(tables, entries, recording);
  }
  return recording;
}

// The key-dependent S-box of each column as a function of L and the byte: what the tables of a key have.
struct BoxFunctions {
  std::vector<TwofishWord> L;
  [[nodiscard]] Signals s_box(unsigned column, const Signals& byte) const {
    return specified_twofish_s_box(column, byte, L);
  }
};
// LaneTables of the four tables of a schedule, or of its packed S-boxes, as functions.
struct FourTableFunctions {
  const BoxFunctions* boxes;
  template <unsigned table, unsigned byte>
  [[nodiscard]] Recorded32 look_up(const Recorded32& x) const {
    return Recorded32::of(specified_twofish_mds_column(table, boxes->s_box(table, part_of(x.bits(), byte, 1))));
  }
};
struct PackedBoxFunctions {
  const BoxFunctions* boxes;
  template <unsigned table, unsigned byte>
  [[nodiscard]] Recorded32 look_up(const Recorded32& x) const {
    const Signals index = part_of(x.bits(), byte, 1);
    return Recorded32::of(
        joined({boxes->s_box(0, index), boxes->s_box(1, index), boxes->s_box(2, index), boxes->s_box(3, index)}));
  }
};
// The table of q0 and q1 as a function: q_table compares its entries.
struct QFunctions {
  template <unsigned table, unsigned byte>
  [[nodiscard]] Recorded32 look_up(const Recorded32& x) const {
    const Signals index = part_of(x.bits(), byte, 1);
    return Recorded32::of(joined({specified_twofish_q(0, index), specified_twofish_q(1, index), Signals(16, zero)}));
  }
};

std::vector<TwofishWord> unknown_L(unsigned num_layers) {
  std::vector<TwofishWord> L(num_layers);
  for (TwofishWord& word : L) word = graph().inputs(32);
  return L;
}
// g of a word, and of one rotated by a byte.
template <class Boxes>
Recording compared_g(const Boxes& boxes, const std::vector<TwofishWord>& L) {
  const Signals X = graph().inputs(32);
  const Recorded32 x = Recorded32::of(X);
  return {joined({boxes.template g<0>(x).bits(), boxes.template g<1>(x).bits()}),
          joined({specified_twofish_h(X, L), specified_twofish_h(rotated_left(X, 8), L)})};
}
template <unsigned num_layers>
Recording g_of_four_tables() {
  const BoxFunctions functions{unknown_L(num_layers)};
  return compared_g(FourTables<FourTableFunctions>{{&functions}}, functions.L);
}
template <unsigned num_layers>
Recording g_of_one_table() {
  const BoxFunctions functions{unknown_L(num_layers)};
  return compared_g(OneTable<PackedBoxFunctions>{{&functions}}, functions.L);
}
template <unsigned num_layers>
Recording lane_g() {
  const std::vector<TwofishWord> L = unknown_L(num_layers);
  phalanx::TwofishUnkeyedBoxes<QFunctions> boxes{{}, {}, num_layers};
  for (unsigned l = 0; l < num_layers; ++l) boxes.L[l] = Recorded32::of(L[l]);
  return compared_g(boxes, L);
}

Recording q_table() {
  Recording recording;
  for (unsigned x = 0; x < 256; ++x) {
    recording.implementation = joined({recording.implementation, phalanx::gpu_twofish_q_word(x).bits()});
    recording.specification = joined({recording.specification, specified_twofish_q(0, known_byte(x)),
                                      specified_twofish_q(1, known_byte(x)), Signals(16, zero)});
  }
  return recording;
}
// The packed S-boxes, from tables of which each has what s_boxes takes for granted: column i of the MDS matrix times a byte.
Recording packed_s_boxes() {
  static phalanx::TwofishTableSchedule schedule;
  Recording recording;
  for (unsigned x = 0; x < 256; ++x) {
    for (unsigned column = 0; column < 4; ++column) {
      const Signals y = graph().inputs(8);
      schedule.table[column][x] = Recorded32::of(specified_twofish_mds_column(column, y));
      recording.specification = joined({recording.specification, y});
    }
    recording.implementation = joined({recording.implementation, schedule.s_boxes(x).bits()});
  }
  return recording;
}

// g as a kernel's thread calls it, cut: its word, then the other one rotated.
struct CutBoxes {
  CutG* block;
  Signals* first;
  template <unsigned rotated_bytes>
  [[nodiscard]] Recorded32 g(const Recorded32& x) const {
    if constexpr (rotated_bytes == 0) {
      *first = x.bits();
      block->given.push_back(graph().inputs(64));
      return Recorded32::of(part_of(block->given.back(), 0, 4));
    } else {
      block->asked.push_back(joined({*first, rotated_left(x.bits(), 8)}));
      return Recorded32::of(part_of(block->given.back(), 4, 4));
    }
  }
};
// The rounds are compared with the paper's that add as GPUs do.
Recording sums() {
  const Signals T0 = graph().inputs(32);
  const Signals T1 = graph().inputs(32);
  const Signals K0 = graph().inputs(32);
  const Signals K1 = graph().inputs(32);
  const auto by_difference = twofish_sums_by_difference(T0, T1, K0, K1);
  const auto specified = specified_twofish_sums(T0, T1, K0, K1);
  return {joined({by_difference[0], by_difference[1]}), joined({specified[0], specified[1]})};
}
template <Direction direction, class Keys>
Recording rounds(const Keys& keys, const Signals& K) {
  UnknownItems<16, 1> block;
  CutG cut;
  Signals first;
  GpuBlock128 x = phalanx::load_block<4>(block.bytes, 0, true);
  phalanx::twofish_table_crypt<direction>(CutBoxes{&cut, &first}, keys, x.word);
  phalanx::store_block<4>(block.bytes, 0, x, true);
  return {cut.outputs(block.now()[0]), cut.specified(direction, K, block.inputs[0], twofish_sums_by_difference)};
}
template <Direction direction>
Recording shared_key_rounds() {
  static phalanx::TwofishTableSchedule schedule;
  const Signals K = unknown_memory(schedule.K, sizeof schedule.K);
  for (unsigned r = 0; r < 16; ++r) schedule.K_difference[r] = schedule.K[2 * r + 9] - schedule.K[2 * r + 8];
  schedule.one = 1;
  return rounds<direction>(schedule, K);
}
template <Direction direction>
Recording lane_keys_rounds() {
  alignas(16) static Byte vectors[16 * GpuTwofishOfKeys::key_vectors];
  const Signals K = unknown_memory(vectors, 160);
  const GpuMessageKeys keys{vectors, 1, 0};
  return rounds<direction>(GpuTwofishOfKeys::Keys{keys}, K);
}

template <std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  const std::string what = "gpu_twofish_" + std::to_string(8 * key_bytes);
  claims.push_back({what + ".key_schedule", key_schedule<key_bytes>});
  claims.push_back({what + ".lane_key_schedule", lane_key_schedule<key_bytes>});
  claims.push_back({what + ".g_of_four_tables", g_of_four_tables<key_bytes / 8>});
  claims.push_back({what + ".g_of_one_table", g_of_one_table<key_bytes / 8>});
  claims.push_back({what + ".lane_g", lane_g<key_bytes / 8>});
}

}  // namespace

std::vector<Claim> gpu_twofish_claims() {
  std::vector<Claim> claims = {{"lemma.twofish_sums", sums},
                               {"gpu_twofish.lane_tables.one", lane_tables<1>},
                               {"gpu_twofish.lane_tables.four", lane_tables<4>},
                               {"gpu_twofish.q_table", q_table},
                               {"gpu_twofish.packed_s_boxes", packed_s_boxes},
                               {"gpu_twofish.encrypt.shared_key.rounds", shared_key_rounds<Direction::encrypt>},
                               {"gpu_twofish.decrypt.shared_key.rounds", shared_key_rounds<Direction::decrypt>},
                               {"gpu_twofish.encrypt.lane_keys.rounds", lane_keys_rounds<Direction::encrypt>},
                               {"gpu_twofish.decrypt.lane_keys.rounds", lane_keys_rounds<Direction::decrypt>}};
  add_claims<16>(claims);
  add_claims<24>(claims);
  add_claims<32>(claims);
  return claims;
}

}  // namespace prove
