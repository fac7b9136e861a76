#include "program/cli/bench/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace phalanx {
namespace {

constexpr double sample_seconds = 2e-3;
constexpr double longest_warm_up = 20e-3;
constexpr std::size_t fewest_samples = 3;
constexpr std::size_t most_samples = 101;

template <class Body>
double seconds_of(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double seconds_of_calls(const Run& run, std::size_t num_calls) {
  return seconds_of([&] {
    for (std::size_t i = 0; i < num_calls; ++i) run();
  });
}

// Says how many calls make a sample, and whether as many go before it.
struct SamplePlan {
  std::size_t num_calls = 1;
  bool warm_up = true;
};

// Multiplies the calls by 2 or 8 until they fill a sample.
SamplePlan plan_sample(const Run& run) {
  SamplePlan plan;
  double seconds = seconds_of_calls(run, 1);
  for (; seconds < sample_seconds; seconds = seconds_of_calls(run, plan.num_calls)) {
    plan.num_calls *= seconds < sample_seconds / 16 ? 8 : 2;
  }
  plan.warm_up = seconds < longest_warm_up;
  return plan;
}

double between(const std::vector<double>& sorted, double place) {
  const auto below = static_cast<std::size_t>(place);
  const double part = place - std::floor(place);
  return below + 1 < sorted.size() ? sorted[below] * (1 - part) + sorted[below + 1] * part : sorted[below];
}

}  // namespace

Quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return {.low = between(values, last / 4), .median = between(values, last / 2), .high = between(values, 3 * last / 4)};
}

double clock_rate() {
  constexpr int num_multiplications = 5000;
  constexpr double latency_cycles = 3;
  double shortest = 1;
  std::uint64_t x = 3;
  for (int attempt = 0; attempt < 5; ++attempt) {
    shortest = std::min(shortest, seconds_of([&x] {
                          for (int i = 0; i < num_multiplications; ++i) {
                            x *= 0x9e3779b97f4a7c15U;
                            __asm__ volatile("" : "+r"(x));
                          }
                        }));
  }
  return latency_cycles * num_multiplications / shortest;
}

std::vector<Series> sample_in_turn(std::span<const Run> runs, double seconds) {
  std::vector<SamplePlan> plans;
  for (const Run& run : runs) plans.push_back(plan_sample(run));
  std::vector<Series> all(runs.size());
  double spent = 0;
  for (std::size_t round = 0; round < fewest_samples || (round < most_samples && spent < seconds); ++round) {
    spent += seconds_of([&] {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& [num_calls, warm_up] = plans[i];
        if (warm_up) seconds_of_calls(runs[i], num_calls);
        const double rate = clock_rate();
        const double time = seconds_of_calls(runs[i], num_calls) / static_cast<double>(num_calls);
        all[i].seconds.push_back(time);
        all[i].cycles.push_back(time * rate);
      }
    });
  }
  return all;
}

}  // namespace phalanx
