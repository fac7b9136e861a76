#include "reproductions/lin2017_cbc_3des_cpu/cbc_variants.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/stage_clock.hpp"

namespace papers::lin2017 {
namespace {

constexpr std::size_t num_blocks = 1024;
constexpr int num_samples = 300;
constexpr const char* stage_names[num_stages] = {"IF", "DES-1", "DES-2", "DES-3", "FP"};  // as table III has them

// Cycles of each stage of a block, in every sample.
using StageSamples = std::array<std::vector<double>, num_stages>;

// The time stamp counter's rate does not change; the processor's does.
double ticks_per_second() {
  const std::uint64_t start = fenced_ticks();
  std::uint64_t end = start;
  const double seconds = seconds_of([&] {
    while (end - start < 100'000'000) end = fenced_ticks();
  });
  return static_cast<double>(end - start) / seconds;
}

// What a stage would take if nothing were in it.
double empty_stage_ticks() {
  StageTicks ticks{};
  StageClock clock(ticks);
  for (std::size_t i = 0; i < (num_stages + 1) * num_blocks; ++i) clock.stamp();
  return static_cast<double>(ticks[1]) / num_blocks;
}

template <class Tables>
void take_sample(const TripleSchedule& schedule, Bytes in, Bytes expected, double tick_rate, StageSamples& samples) {
  ByteVector out(in.size());
  const ByteVector iv(block_bytes);
  const double empty_stage = empty_stage_ticks();
  const double cycles_per_tick = phalanx::clock_rate() / tick_rate;
  StageTicks ticks{};
  cbc_encrypt<PermOps, Tables>(schedule, iv, in, out, StageClock(ticks));
  require_equal("the CBC of the stages", out, expected);
  for (std::size_t stage = 0; stage < num_stages; ++stage)
    samples[stage].push_back((static_cast<double>(ticks[stage]) / num_blocks - empty_stage) * cycles_per_tick);
}

void print_stages(const char* row, const char* method, const StageSamples& samples) {
  double total = 0;
  for (std::size_t stage = 0; stage < num_stages; ++stage) {
    const double cycles = phalanx::quartiles_of(samples[stage]).low;
    total += cycles;
    print_figure({"3", row, stage_names[stage], method, "time", "cycles", cycles});
    if (stage >= 1 && stage <= 3) print_figure({"2", row, stage_names[stage], method, "time", "cycles", cycles});
  }
  print_figure({"3", row, "Total", method, "time", "cycles", total});
}

}  // namespace

void measure_stages() {
  const ByteVector key = test_data(key_bytes, 3);
  const TripleSchedule schedule = expand_triple_key(key);
  const ByteVector in = test_data(num_blocks * block_bytes);
  const ByteVector iv(block_bytes);
  const ByteVector expected = phalanx::reference::crypt("des-ede3-cbc", phalanx::Direction::encrypt, key, iv, in);
  const double tick_rate = ticks_per_second();
  StageSamples baseline;
  StageSamples optimized;
  for (int i = 0; i < num_samples; ++i) {
    take_sample<SPtrans>(schedule, in, expected, tick_rate, baseline);
    take_sample<MergedSPtrans<4>>(schedule, in, expected, tick_rate, optimized);
  }
  print_stages("OpenSSL", "baseline", baseline);
  print_stages("Optimized", "method", optimized);
}

}  // namespace papers::lin2017
