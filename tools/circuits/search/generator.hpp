// A circuit for one function after another, by the recursion of M. Kwan, "Reducing the Gate Count of Bitslice DES" (2000):
// an existing signal, then one gate, then two, ..., and where none does, a choice by some signal between two easier
// functions.
#pragma once

#include <algorithm>

#include "patches.hpp"
#include "thread_clock.hpp"

namespace circuits {

template <class Patches>
class Generator {
 public:
  static constexpr int arity = Patches::arity;

  /// After `seconds` it takes the first choice that works at each place, after four times that it gives up.
  Generator(Random& random, double seconds)
      : random_(random),
        deadline_(seconds_from_now<ThreadClock>(seconds)),
        last_deadline_(seconds_from_now<ThreadClock>(4 * seconds)) {}

  /// Adds at most `budget` gates to the circuit. Returns a signal that is `target` on `care`, or its complement there, or
  /// -1.
  int solve(Circuit<arity>& circuit, Table target, Table care, unsigned used_inputs, int budget) {
    target &= care;
    if (const int signal = existing(circuit, target, care); signal >= 0) return signal;
    if (target == 0 || target == care) return 0;  // any signal will do
    budget = std::min(budget, max_signals - 4 - circuit.num_signals);
    if (budget < 1) return -1;
    const SignalSet set(circuit, circuit.all(), random_);
    if (const int signal = by_patch(circuit, set, target, care & ~target, budget); signal >= 0) return signal;
    if (budget < 2 || ThreadClock::now() > last_deadline_) return -1;
    return by_selector(circuit, target, care, used_inputs, budget);
  }

 private:
  int existing(const Circuit<arity>& circuit, Table target, Table care) {
    Choice<int> choice(random_);
    for (int i = 0; i < circuit.num_signals; ++i) {
      const Table differs = (circuit.value[i] ^ target) & care;
      if (differs == 0 || differs == care) choice.offer(i);
    }
    return choice.count() > 0 ? choice.chosen() : -1;
  }

  int by_patch(Circuit<arity>& circuit, const SignalSet& set, Table on, Table off, int budget) {
    Choice<Patch<arity>> choice(random_);
    const auto take = [&](const Patch<arity>& patch) {
      choice.offer(patch);
      return choice.count() >= (patch.num_gates == 1 ? 200 : 12);
    };
    Patches::one(set, on, off, random_, take);
    if (choice.count() == 0 && budget >= 2) Patches::two(set, on, off, random_, take);
    if constexpr (Patches::max_gates >= 3) {
      if (choice.count() == 0 && budget >= 3) Patches::three(set, on, off, random_, 4, take);
    }
    return choice.count() > 0 ? add_patch(circuit, choice.chosen()) : -1;
  }

  static int add_patch(Circuit<arity>& circuit, const Patch<arity>& patch) {
    const int base = circuit.num_signals;
    bool complemented[3] = {};
    for (int g = 0; g < patch.num_gates; ++g) {
      Gate<arity> gate = patch.gate[g];
      unsigned flips = 0;
      for (int k = 0; k < arity; ++k) {
        if (gate.in[k] < max_signals) continue;
        const int inner = gate.in[k] - max_signals;
        gate.in[k] = static_cast<std::uint8_t>(base + inner);
        if (complemented[inner]) flips |= 1U << (arity - 1 - k);
      }
      unsigned table = 0;
      for (unsigned i = 0; i < 1U << arity; ++i) table |= (gate.table >> (i ^ flips) & 1U) << i;
      complemented[g] = table & 1;
      gate.table = static_cast<std::uint8_t>(table);
      circuit.add(gate);
    }
    return circuit.num_signals - 1;
  }

  /// The signals to choose by: the inputs not used above, and a few gates.
  int selectors(const Circuit<arity>& circuit, Table care, unsigned used_inputs, int* selector) {
    const int num_inputs = circuit.box->num_inputs;
    int count = 0;
    for (int i = 0; i < num_inputs; ++i) {
      if (!(used_inputs >> i & 1)) selector[count++] = i;
    }
    const int num_extra = random_.below(4);
    for (int i = 0; i < num_extra && circuit.num_gates() > 0; ++i) {
      const int gate = num_inputs + random_.below(circuit.num_gates());
      const int ones = __builtin_popcountll(circuit.value[gate] & care);
      const int positions = __builtin_popcountll(care);
      if (4 * ones >= positions && 4 * ones <= 3 * positions) selector[count++] = gate;
    }
    random_.shuffle(selector, count);
    return count;
  }

  int by_selector(Circuit<arity>& circuit, Table target, Table care, unsigned used_inputs, int budget) {
    int selector[max_inputs + 4];
    const int count = selectors(circuit, care, used_inputs, selector);
    Circuit<arity> best;
    int best_signal = -1;
    for (int i = 0; i < count; ++i) {
      const int s = selector[i];
      const unsigned used = circuit.is_input(s) ? used_inputs | 1U << s : used_inputs;
      Circuit<arity> attempt = circuit;
      const int signal = choose(attempt, s, target, care, used, budget);
      if (signal < 0) continue;
      best = attempt;
      best_signal = signal;
      budget = attempt.num_signals - circuit.num_signals - 1;
      if (budget < 2 || ThreadClock::now() > deadline_) break;
    }
    if (best_signal >= 0) circuit = best;
    return best_signal;
  }

  /// The function on one side of the selector, then on the other, then the choice.
  int choose(Circuit<arity>& circuit, int selector, Table target, Table care, unsigned used, int budget) {
    constexpr int num_last = arity == 3 ? 1 : 2;  // gates of the choice
    const int limit = circuit.num_signals + budget;
    const Table side = random_.one_in(2) ? circuit.value[selector] : ~circuit.value[selector];
    const int first = solve(circuit, target, care & side, used, budget - num_last);
    if (first < 0) return -1;
    if constexpr (arity == 3) {
      const int second = solve(circuit, target, care & ~side, used, limit - num_last - circuit.num_signals);
      if (second < 0) return -1;
      return finish(circuit, {selector, first, second}, target, care);
    } else {
      const Table correction = target ^ circuit.value[first];
      if (circuit.num_signals == limit) return -1;
      // One gate instead of two where `first` is constant on the other side, or the second function there.
      const int second = solve(circuit, correction, care & ~side, used, limit - num_last - circuit.num_signals);
      if (second < 0) return -1;
      return correct(circuit, selector, side, first, second, target, care);
    }
  }

  int finish(Circuit<3>& circuit, const int (&in)[3], Table target, Table care) {
    const Table* value = circuit.value;
    const int table = table_for(value[in[0]], value[in[1]], value[in[2]], target, care & ~target, random_);
    return circuit.add({{byte(in[0]), byte(in[1]), byte(in[2])}, static_cast<std::uint8_t>(table)});
  }

  /// first XOR (other side AND second), either of them perhaps complemented.
  int correct(Circuit<2>& circuit, int selector, Table side, int first, int second, Table target, Table care) {
    const Table* value = circuit.value;
    const Table same = care & side;
    const Table wanted = target ^ value[first] ^ ((target ^ value[first]) & same ? ~Table{0} : 0);
    const int gate_table = table_for(value[selector], value[second], wanted & care, care & ~wanted, random_);
    if (gate_table < 0) return -1;
    const int gate = circuit.add({{byte(selector), byte(second)}, static_cast<std::uint8_t>(gate_table)});
    const int last = table_for(value[first], value[gate], target, care & ~target, random_);
    if (last < 0) return -1;
    return circuit.add({{byte(first), byte(gate)}, static_cast<std::uint8_t>(last)});
  }
  static std::uint8_t byte(int signal) { return static_cast<std::uint8_t>(signal); }

  Random& random_;
  ThreadClock::time_point deadline_;
  ThreadClock::time_point last_deadline_;
};

}  // namespace circuits
