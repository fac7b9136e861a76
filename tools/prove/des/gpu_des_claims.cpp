// DES, double and triple DES as a GPU's thread computes them, here on the host: engine/lanes/word_gpu.hpp says where the two
// differ. Tables are taken as functions: what a kernel fills them with is compared with the standard's at every index, as each
// lane looks it up. clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/ciphers/des/gpu_des_lane_keys.hpp"
#include "engine/ciphers/des/gpu_des_tables.hpp"
#include "lane_table_look_ups.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Direction;
using phalanx::GpuDes;
using Blocks = UnknownBlocks<8, GpuDes::blocks_per_thread>;

// The blocks of a thread in its registers, crypted and put back.
template <class Crypt>
void crypt_thread(Blocks& blocks, Crypt crypt) {
  phalanx::GpuBlock64 x[GpuDes::blocks_per_thread];
  for (unsigned i = 0; i < GpuDes::blocks_per_thread; ++i) x[i] = phalanx::load_block<2>(blocks.bytes, i, true);
  crypt(x);
  for (unsigned i = 0; i < GpuDes::blocks_per_thread; ++i) phalanx::store_block<2>(blocks.bytes, i, x[i], true);
}

template <Direction direction, std::size_t key_bytes>
Recording shared_key() {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  Blocks blocks;
  static GpuDes::Schedule schedule;
  GpuDes::expand_key(key, key_bytes, schedule);
  alignas(16) static std::uint8_t shared[GpuDes::shared_bytes];
  GpuDes core{};
  core.prepare<direction>(schedule, shared);
  crypt_thread(blocks, [&](phalanx::GpuBlock64* x) { core.crypt<direction>(schedule, x); });
  return {one_of_equal_lanes(blocks.now(), blocks.inputs), specified_des(direction, key_inputs, blocks.inputs[0])};
}

template <Direction direction, std::size_t key_bytes>
Recording lane_keys() {
  constexpr unsigned num_lanes = GpuDes::blocks_per_thread;
  constexpr std::size_t num_passes = key_bytes / 8;
  UnknownBlocks<key_bytes, num_lanes> keys;
  Blocks blocks;
  std::vector<Signals> inputs = keys.inputs;
  for (unsigned i = 0; i < num_lanes; ++i)
    inputs[i].insert(inputs[i].end(), blocks.inputs[i].begin(), blocks.inputs[i].end());
  static constexpr phalanx::GpuDesKeySchedule schedule = phalanx::make_key_schedule();
  alignas(16) static std::uint8_t memory[num_passes * phalanx::GpuDesKeyPlanes::warp_bytes_per_pass];
  const phalanx::GpuDesKeyPlanes planes{memory};
  planes.load(num_passes, schedule, direction, [&](unsigned i) { return keys.bytes + i * key_bytes; });
  const phalanx::GpuDesLaneKeys lane_keys{planes, schedule, num_passes, direction};
  crypt_thread(blocks, [&](phalanx::GpuBlock64* x) { GpuDes::crypt_blocks(lane_keys, x); });
  return {one_of_equal_lanes(blocks.now(), inputs), specified_des(direction, keys.inputs[0], blocks.inputs[0])};
}

// What the tables hold, as functions.
struct TableFunctions {
  template <unsigned box, unsigned byte>
  [[nodiscard]] phalanx::std::uint32_t look_up(const phalanx::std::uint32_t& x) const {
    const Signals index = part(x.bits(), 8 * byte, 8);
    if (index[6] != zero || index[7] != zero) throw std::runtime_error("an index that the tables do not have");
    return phalanx::std::uint32_t::of(specified_des_box(box, part(index, 0, 6), phalanx::des_half_turn));
  }
};

// As a kernel fills its shared memory.
Recording tables() {
  alignas(16) static std::uint8_t memory[phalanx::GpuDesByTables::shared_bytes];
  phalanx::fill_des_tables(memory);
  Recording recording;
  phalanx::for_each_index<8>([&](auto i) {
    constexpr unsigned box = decltype(i)::value;
    look_up_everywhere<box, phalanx::des_byte_of_box(box), 64>(
        [](unsigned lane) {
          return phalanx::DesLaneTables{memory, 4 * lane};
        },
        [](unsigned x) {
          Signals six_bits;
          for (unsigned bit = 0; bit < 6; ++bit) six_bits.push_back(x >> bit & 1);
          return specified_des_box(box, six_bits, phalanx::des_half_turn);
        },
        recording);
  });
  return recording;
}

// A thread's block by tables: crypt gets the key, and the block in registers.
template <Direction direction, std::size_t key_bytes, class Crypt>
Recording by_tables(Crypt crypt) {
  std::uint8_t key[key_bytes];
  const Signals key_inputs = unknown_memory(key, key_bytes);
  UnknownBlocks<8, 1> block;
  phalanx::GpuBlock64 x = phalanx::load_block<2>(block.bytes, 0, true);
  crypt(key, x);
  phalanx::store_block<2>(block.bytes, 0, x, true);
  return {block.now()[0], specified_des(direction, key_inputs, block.inputs[0])};
}
template <Direction direction, std::size_t key_bytes>
Recording shared_key_by_tables() {
  return by_tables<direction, key_bytes>([](const std::uint8_t* key, phalanx::GpuBlock64& x) {
    static GpuDes::Schedule schedule;
    GpuDes::expand_key(key, key_bytes, schedule);
    phalanx::GpuDesTables<TableFunctions>{}.template crypt<direction>(schedule, &x);
  });
}
template <Direction direction, std::size_t key_bytes>
Recording lane_keys_by_tables() {
  return by_tables<direction, key_bytes>([](const std::uint8_t* key, phalanx::GpuBlock64& x) {
    using Core = phalanx::GpuDesTablesOfKeys<key_bytes / 8, TableFunctions>;
    alignas(16) static std::uint8_t vectors[16 * Core::key_vectors];
    const phalanx::GpuMessageKeys keys{vectors, 1, 0};
    Core::template expand_key<direction>(key, key_bytes, keys);
    Core{}.crypt(typename Core::HeldKeys(keys), x);
  });
}

template <Direction direction, std::size_t key_bytes>
void add_claims(const std::string& cipher, std::vector<Claim>& claims) {
  const std::string what = "gpu_" + cipher + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key", shared_key<direction, key_bytes>});
  claims.push_back({what + ".lane_keys", lane_keys<direction, key_bytes>});
  claims.push_back({what + ".by_tables.shared_key", shared_key_by_tables<direction, key_bytes>});
  claims.push_back({what + ".by_tables.lane_keys", lane_keys_by_tables<direction, key_bytes>});
}

// Counters made as planes, on their way through no pass at all: the blocks of low, low + 32 and so on (SP 800-38A appendix
// B.1). And blocks through the same: what is made of planes then is what their transposes would have given.
Recording counters() {
  const Signals low = graph().inputs(64);
  Blocks blocks;
  static GpuDes::Schedule schedule;
  static phalanx::GpuDesKeys keys;
  GpuDes core{&keys};
  Recording recording;
  recording.implementation = on_every_path([&] {
    phalanx::GpuBlock64 x[GpuDes::blocks_per_thread];
    core.encrypt_counters(schedule, 0, phalanx::std::uint64_t::of(low), x);
    return read_memory(x, sizeof x);
  });
  crypt_thread(blocks, [&](phalanx::GpuBlock64* x) { core.crypt<Direction::encrypt>(schedule, x); });
  for (unsigned i = 0; i < GpuDes::blocks_per_thread; ++i) {
    Signals distance;
    for (unsigned bit = 0; bit < 64; ++bit) distance.push_back(bit < 32 ? 32 * i >> bit & 1 : zero);
    const Signals number = add(low, distance, zero);
    for (unsigned bit = 0; bit < 64; ++bit) recording.specification.push_back(number[56 - bit / 8 * 8 + bit % 8]);
  }
  for (unsigned i = 0; i < GpuDes::blocks_per_thread; ++i) {
    const Signals block = blocks.now()[i];
    recording.implementation.insert(recording.implementation.end(), block.begin(), block.end());
    recording.specification.insert(recording.specification.end(), blocks.inputs[i].begin(), blocks.inputs[i].end());
  }
  return recording;
}

// What add_to_product takes for granted, with the adders written out.
Recording flip() {
  const Signals x = graph().inputs(32);
  const Literal f = graph().input();
  const Signals mask(32, f);
  Signals factor = mask;
  factor[0] = one;
  return {add(multiply(x, factor), mask, zero), xor_of(x, mask)};
}

}  // namespace

std::vector<Claim> gpu_des_claims() {
  std::vector<Claim> claims = {{"lemma.flip", flip}, {"counters.gpu_des", counters}, {"gpu_des.tables", tables}};
  add_claims<Direction::encrypt, 8>("des", claims);
  add_claims<Direction::decrypt, 8>("des", claims);
  add_claims<Direction::encrypt, 16>("2des", claims);
  add_claims<Direction::decrypt, 16>("2des", claims);
  add_claims<Direction::encrypt, 24>("3des", claims);
  add_claims<Direction::decrypt, 24>("3des", claims);
  return claims;
}

}  // namespace prove
