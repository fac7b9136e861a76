#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "three_input_patches.hpp"
#include "two_input_patches.hpp"
#include "walk.hpp"

namespace circuits {
namespace {

template <class Patches>
class Worker {
 public:
  using Circuits = std::vector<Circuit<Patches::arity>>;

  Worker(const Box& box, Random& random, double pace) : box_(box), random_(random), walk_(random), pace_(pace) {}

  // A circuit from nothing, or false: a beam over the outputs in any order, every partial circuit shrunk before the next
  // output is added.
  bool make(Circuit<Patches::arity>& circuit) {
    Circuits beam = {Circuit<Patches::arity>(box_)};
    for (int stage = 0; stage < box_.num_outputs; ++stage) {
      Circuits next;
      for (const auto& partial : beam) extend(partial, stage, next);
      random_.shuffle(next.data(), static_cast<int>(next.size()));
      std::stable_sort(next.begin(), next.end(), smaller);
      if (next.size() > beam_width) next.resize(beam_width);
      beam.swap(next);
    }
    if (beam.empty() || beam.front().wanted != box_.all_outputs()) return false;
    Circuits finished;
    for (std::size_t i = 0; i < beam.size() && i < 4; ++i) {
      finished.push_back(walk_.anneal(beam[i], 1.0 * pace_, 0.5 * pace_, 2));
    }
    circuit = walk_.anneal(*std::min_element(finished.begin(), finished.end(), smaller), 2 * pace_, 2 * pace_, 3);
    return true;
  }

  Circuit<Patches::arity> improve(const Circuit<Patches::arity>& circuit) {
    return walk_.anneal(circuit, 4 * pace_, 2 * pace_, 1 + random_.below(4));
  }

 private:
  static constexpr std::size_t beam_width = 8;

  static bool smaller(const Circuit<Patches::arity>& a, const Circuit<Patches::arity>& b) {
    return a.num_signals < b.num_signals;
  }

  // `partial` with one more output, for every output that it lacks.
  void extend(const Circuit<Patches::arity>& partial, int stage, Circuits& next) {
    constexpr double shrink_seconds[] = {0.03, 0.08, 0.2, 0.4};
    const int attempts = stage == 0 ? 4 : stage == 1 ? 2 : 1;
    for (int output = 0; output < box_.num_outputs; ++output) {
      if (partial.wanted >> output & 1) continue;
      for (int attempt = 0; attempt < attempts; ++attempt) {
        Circuit<Patches::arity> circuit = partial;
        if (stage > 0) walk_.shrink(circuit, 0.01 * pace_);
        Generator<Patches> generator(random_, 0.5 * pace_);
        const int signal = generator.solve(circuit, box_.output[output], box_.all, 0, Patches::generator_budget);
        if (signal < 0) continue;
        circuit.output[output] = static_cast<std::uint8_t>(signal);
        circuit.wanted |= 1 << output;
        if (!tidy(circuit)) continue;
        walk_.shrink(circuit, shrink_seconds[stage] * pace_);
        next.push_back(circuit);
      }
    }
  }

  static bool tidy(Circuit<Patches::arity>& circuit) {
    std::uint8_t identity[max_signals];
    for (int i = 0; i < max_signals; ++i) identity[i] = static_cast<std::uint8_t>(i);
    Circuit<Patches::arity> rebuilt;
    if (!rebuild(circuit, identity, rebuilt)) return false;
    circuit = rebuilt;
    return true;
  }

  const Box& box_;
  Random& random_;
  Walk<Patches> walk_;
  double pace_;
};

}  // namespace

template <class Patches>
void search(const std::vector<Box>& boxes, Pool<Patches::arity>& pool, const SearchOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto end = seconds_from_now<Clock>(options.seconds);
  std::atomic<std::size_t> next_box{0};
  const auto work = [&](std::uint64_t seed) {
    Random random(seed);
    for (;;) {
      const std::size_t i = next_box++ % boxes.size();
      if (Clock::now() >= end && !pool.is_empty(i)) break;
      Worker<Patches> worker(boxes[i], random, options.pace);
      Circuit<Patches::arity> circuit;
      if (random.one_in(4) || !pool.draw(i, random, circuit)) {
        if (worker.make(circuit)) pool.offer(i, circuit);
      } else {
        pool.offer(i, worker.improve(circuit));
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < options.num_threads; ++i)
    threads.emplace_back(work, options.seed * 1000 + static_cast<std::uint64_t>(i));
  for (auto& thread : threads) thread.join();
}

template void search<TwoInputPatches>(const std::vector<Box>&, Pool<2>&, const SearchOptions&);
template void search<ThreeInputPatches>(const std::vector<Box>&, Pool<3>&, const SearchOptions&);

}  // namespace circuits
