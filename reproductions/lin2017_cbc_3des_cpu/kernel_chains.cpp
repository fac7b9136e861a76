#include "reproductions/lin2017_cbc_3des_cpu/failed_optimizations.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/merged_sptrans.hpp"

namespace papers::lin2017 {
namespace {

constexpr std::size_t num_repetitions = 2000;

// "Without SPtrans" of table I: the shifts, masks and XORs of the eight look-ups, each index standing for what it would
// find.
struct WithoutSPtrans {
  static std::uint32_t look_up(std::uint32_t u, std::uint32_t t) {
    std::uint32_t sum = 0;
    for (const std::uint32_t word : {u, t})
      for (unsigned low = 2; low < 32; low += 8) sum ^= as_written(word >> low & 0x3f);
    return sum;
  }
};

// The merged look-ups as an L1 cache larger than the tables would serve them: the same instructions, but only three bits of
// each second index, so that 8 KiB of the 64 are ever read. For its time alone; what it computes is no DES.
struct MergedInL1 {
  template <std::size_t table>
  static std::uint32_t look_up_table(std::uint32_t word) {
    constexpr unsigned low = 2 + 16 * (table % 2);
    return merged_tables[table][(word >> low & 0x3f) | (word >> (low + 2) & 0x1c0)];
  }

  static std::uint32_t look_up(std::uint32_t u, std::uint32_t t) {
    return look_up_table<0>(u) ^ look_up_table<1>(u) ^ look_up_table<2>(t) ^ look_up_table<3>(t);
  }
};

// Keeps a result alive. volatile, so that a chain whose result nobody reads is still computed.
void use(std::uint32_t value) { __asm__ volatile("" : : "r"(value)); }

// Chains of sixteen D_ENCRYPTs, as in a DES. Without key load, both key words stay in registers.
template <class Tables, bool key_load>
void chain_of_d_encrypt(const KeySchedule& s) {
  std::uint32_t l = 1;
  std::uint32_t r = 2;
  const std::uint32_t in_registers[2] = {as_written(s[0]), as_written(s[1])};
  for (std::size_t i = 0; i < num_repetitions; ++i) {
#pragma GCC unroll 8
    for (std::size_t S = 0; S < num_key_words; S += 4) {
      D_ENCRYPT<Tables>(l, r, key_load ? s[S] : in_registers[0], key_load ? s[S + 1] : in_registers[1]);
      D_ENCRYPT<Tables>(r, l, key_load ? s[S + 2] : in_registers[0], key_load ? s[S + 3] : in_registers[1]);
    }
  }
  use(l ^ r);
}

template <class Permutation>
void chain_of_ip() {
  Halves block{1, 2};
  for (std::size_t i = 0; i < num_repetitions; ++i) Permutation::IP(block);
  use(block.l ^ block.r);
}

// One PERM_OP after another with a and b exchanged, as in IP and FP, but always the same.
void chain_of_perm_op() {
  std::uint32_t a = 1;
  std::uint32_t b = 2;
  for (std::size_t i = 0; i < num_repetitions; ++i) {
#pragma GCC unroll 5
    for (int pair = 0; pair < 5; ++pair) {
      PERM_OP<2, 0x33333333>(a, b);
      PERM_OP<2, 0x33333333>(b, a);
    }
  }
  use(a ^ b);
}

}  // namespace

void measure_kernels(const KeySchedule& s) {
  const auto permutation = [](const char* row, const char* method, const std::function<void()>& run) {
    return Timed{{"section_3", row, "measured", method, "time", "cycles", 0}, num_repetitions, run};
  };
  const auto d_encrypt = [&](Figure figure, void (*chain)(const KeySchedule&)) {
    return Timed{std::move(figure), 16.0 * num_repetitions, [chain, s] { chain(s); }};
  };
  const auto table_1 = [](const char* row, const char* column) {
    return Figure{"1", row, column, "baseline", "time", "cycles", 0};
  };
  const std::vector<Timed> timed = {
      d_encrypt(table_1("With SPtrans", "With key load"), chain_of_d_encrypt<SPtrans, true>),
      d_encrypt(table_1("With SPtrans", "Without key load"), chain_of_d_encrypt<SPtrans, false>),
      d_encrypt(table_1("Without SPtrans", "With key load"), chain_of_d_encrypt<WithoutSPtrans, true>),
      d_encrypt(table_1("Without SPtrans", "Without key load"), chain_of_d_encrypt<WithoutSPtrans, false>),
      d_encrypt({"section_4", "D_ENCRYPT, merged", "With key load", "method", "time", "cycles", 0},
                chain_of_d_encrypt<MergedSPtrans<4>, true>),
      d_encrypt({"section_4", "D_ENCRYPT, merged", "Without key load", "method", "time", "cycles", 0},
                chain_of_d_encrypt<MergedSPtrans<4>, false>),
      d_encrypt({"section_4", "D_ENCRYPT, merged", "tables in L1", "method", "time", "cycles", 0},
                chain_of_d_encrypt<MergedInL1, true>),
      d_encrypt({"section_5", "D_ENCRYPT", "one stream", "baseline", "time", "cycles", 0},
                chain_of_d_encrypt<SPtrans, true>),
      d_encrypt({"section_5", "D_ENCRYPT", "split reduce", "method", "time", "cycles", 0},
                chain_of_d_encrypt<SplitSPtrans, true>),
      {{"section_3", "PERM_OP", "measured", "baseline", "time", "cycles", 0}, 10.0 * num_repetitions, chain_of_perm_op},
      permutation("IP or FP", "baseline", chain_of_ip<PermOps>),
      {{"section_5", "IP", "PERM_OP", "baseline", "time", "cycles", 0}, num_repetitions, chain_of_ip<PermOps>},
      {{"section_5", "IP", "merged single", "method", "time", "cycles", 0}, num_repetitions, chain_of_ip<MergedPermOps>},
      {{"section_5", "IP", "merged double", "method", "time", "cycles", 0}, num_repetitions, chain_of_ip<DoublePermOps>},
  };
  const std::vector<double> cycles = print_cycles(timed, 2.5);
  print_figure({"section_3", "16 D_ENCRYPT", "measured", "baseline", "time", "cycles", 16 * cycles[0]});
}

}  // namespace papers::lin2017
