#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"

namespace papers::lin2017 {
namespace {

constexpr std::size_t num_repetitions = 2000;
constexpr std::size_t num_chains = 8;  // independent of one another: more than any processor here does a cycle
constexpr std::size_t unrolled = 8;
constexpr double num_independent = static_cast<double>(num_repetitions * num_chains * unrolled);

// Runs `operation` on eight registers in turn: what limits it is the number of units, not the latency.
template <class Operation>
void independent(const Operation& operation) {
  std::uint32_t x[num_chains] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (std::size_t i = 0; i < num_repetitions; ++i) {
#pragma GCC unroll 64
    for (std::size_t k = 0; k < num_chains * unrolled; ++k) operation(x[k % num_chains]);
  }
}

void ands() {
  independent([](std::uint32_t& x) { __asm__ volatile("andl $-2, %0" : "+r"(x)); });
}

void shifts() {
  independent([](std::uint32_t& x) { __asm__ volatile("shrl $3, %0" : "+r"(x)); });
}

void loads(const std::uint32_t* from) {
  independent([from](std::uint32_t& x) { __asm__ volatile("movl (%1), %0" : "=r"(x) : "r"(from)); });
}

// Loads that wait for one another, at addresses that no prefetcher foresees and that the tables of a cipher would have: the
// table holds zeros, which the processor does not know. One XOR besides the load. The first num_entries of the table.
void random_loads(const std::vector<std::uint32_t>& table, std::uint32_t num_entries) {
  std::uint64_t state = 1;
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < 32 * num_repetitions; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // off the chain: the multiplications run ahead
    const std::uint64_t place = (state >> 32) * num_entries >> 32;
    found = as_written(table[place ^ found]);
  }
  __asm__ volatile("" : : "r"(found));
}

}  // namespace

void measure_processor() {
  const auto processor = [](const char* row, const char* quantity) {
    return Figure{"processor", row, "measured", "processor", quantity, "cycles", 0};
  };
  const std::vector<std::uint32_t> table(mebibyte / 4);
  std::vector<Timed> timed = {{processor("AND", "time"), num_independent, ands},
                              {processor("shift", "time"), num_independent, shifts},
                              {processor("load", "time"), num_independent, [&table] { loads(table.data()); }}};
  for (const std::uint32_t kibibytes : {2, 8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 256}) {
    timed.push_back({{"random_load", std::to_string(kibibytes), "KiB", "processor", "latency", "cycles", 0},
                     32.0 * num_repetitions,
                     [&table, kibibytes] { random_loads(table, kibibytes * 256); }});
  }
  print_cycles(timed, 2.5);
}

}  // namespace papers::lin2017
