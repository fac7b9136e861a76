// A random walk over the circuits of a box that never grows for long: gates are replaced by others where the outputs cannot
// tell (the positions where a gate matters are its `care`), which at equal size moves to other circuits, and now and then
// leaves a gate unused.
#pragma once

#include <algorithm>

#include "generator.hpp"

namespace circuits {

template <class Patches>
class Walk {
 public:
  static constexpr int arity = Patches::arity;

  explicit Walk(Random& random) : random_(random) {
    for (int i = 0; i < max_signals; ++i) identity_[i] = static_cast<std::uint8_t>(i);
  }

  /// Steps that never add a gate, for a time.
  void shrink(Circuit<arity>& circuit, double seconds) {
    const auto end = seconds_from_now<ThreadClock>(seconds);
    while (circuit.num_gates() > 0 && ThreadClock::now() < end) level_steps(circuit);
  }

  /// Steps that may add up to max_excess gates to the smallest circuit seen, for a time, and as long as it still gets
  /// smaller every so often. Returns the smallest.
  Circuit<arity> anneal(Circuit<arity> circuit, double seconds, double patience, int max_excess) {
    Circuit<arity> best = circuit;
    auto end = seconds_from_now<ThreadClock>(seconds);
    int num_rounds_above = 0;
    while (ThreadClock::now() < end) {
      if (random_.one_in(4) && circuit.num_signals < best.num_signals + max_excess) split_edge(circuit);
      level_steps(circuit);
      if (random_.one_in(8)) resynthesise(circuit, 3 + random_.below(6));
      if (circuit.num_signals < best.num_signals) end = std::max(end, seconds_from_now<ThreadClock>(patience));
      if (circuit.num_signals <= best.num_signals) {
        best = circuit;
        num_rounds_above = 0;
      } else if (++num_rounds_above > 12) {
        circuit = best;
        num_rounds_above = 0;
      }
    }
    return best;
  }

 private:
  /// Some steps of each kind, about the same time for each.
  void level_steps(Circuit<arity>& circuit) {
    for (int i = 0; i < Patches::num_single_steps; ++i) replace(circuit, 1);
    for (int i = 0; i < Patches::num_double_steps; ++i) replace(circuit, 2);
    if constexpr (Patches::max_gates >= 3) replace(circuit, 3);
  }

  /// Replaces a random gate by `num_gates` others, if at least as many become unused.
  bool replace(Circuit<arity>& circuit, int num_gates) {
    const Dependence<arity> dependence(circuit);
    const int gate = circuit.box->num_inputs + random_.below(circuit.num_gates());
    const Table care = care_of(circuit, dependence, gate);
    const Table on = circuit.value[gate] & care;
    const Table off = care & ~on;
    if (on == 0 || off == 0) return replace_by_anything(circuit, gate);
    Signals allowed = circuit.all() & ~dependence.below[gate];
    if (!forbid_cone(circuit, dependence, gate, num_gates - 1, allowed)) return false;
    const SignalSet set(circuit, allowed, random_);
    if (set.count < 3) return false;
    if (num_gates == 1 && replace_by_signal(circuit, set, gate, on, off)) return true;
    Choice<Patch<arity>> choice(random_);
    const int limit = num_gates == 1 ? 1000 : num_gates == 2 ? 100 : 20;
    const auto take = [&](const Patch<arity>& patch) {
      choice.offer(patch);
      return choice.count() >= limit;
    };
    if (num_gates == 1) Patches::one(set, on, off, random_, take);
    if (num_gates == 2) Patches::two(set, on, off, random_, take);
    if constexpr (Patches::max_gates >= 3) {
      if (num_gates == 3) Patches::three(set, on, off, random_, 4, take);
    }
    return choice.count() > 0 && substitute(circuit, gate, choice.chosen(), circuit.num_signals);
  }

  /// Leaves out of `allowed` some gates that only this one needs, and all that depends on them: they will be unused.
  bool forbid_cone(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int gate, int num_forbidden,
                   Signals& allowed) {
    if (num_forbidden == 0) return true;
    Signals cone = cone_of(circuit, dependence, gate);
    if (__builtin_popcountll(cone) < num_forbidden) return false;
    for (int i = 0; i < num_forbidden; ++i) {
      Signals chosen = cone;
      for (int skip = random_.below(__builtin_popcountll(cone)); skip > 0; --skip) chosen &= chosen - 1;
      const int forbidden = __builtin_ctzll(chosen);
      cone &= ~only(forbidden);
      allowed &= ~dependence.below[forbidden];
    }
    return true;
  }

  bool replace_by_anything(Circuit<arity>& circuit, int gate) {
    std::uint8_t with[max_signals];
    std::copy(identity_, identity_ + max_signals, with);
    with[gate] = 0;
    return accept(circuit, circuit, with, circuit.num_signals);
  }

  /// Another signal in place of the gate; complemented, it takes the gate's own place.
  bool replace_by_signal(Circuit<arity>& circuit, const SignalSet& set, int gate, Table on, Table off) {
    for (int i = 0; i < set.count; ++i) {
      const Table value = set.value[i];
      const bool equal = (off & value) == 0 && (on & ~value) == 0;
      if (!equal && ((on & value) != 0 || (off & ~value) != 0)) continue;
      if (set.count < 2) return false;
      Patch<arity> patch;
      patch.num_gates = 1;
      for (auto& in : patch.gate[0].in) in = set.id[i];
      patch.gate[0].table = equal ? 1U << (full_bits - 1) : 1;
      return substitute(circuit, gate, patch, circuit.num_signals);
    }
    return false;
  }
  static constexpr int full_bits = 1 << arity;

  bool substitute(Circuit<arity>& circuit, int gate, const Patch<arity>& patch, int max_size) {
    Circuit<arity> changed = circuit;
    if (!append(changed, patch)) return false;
    std::uint8_t with[max_signals];
    std::copy(identity_, identity_ + max_signals, with);
    with[gate] = static_cast<std::uint8_t>(changed.num_signals - 1);
    return accept(circuit, changed, with, max_size);
  }

  /// Adds the gates as they are: rebuild() takes care of complements.
  static bool append(Circuit<arity>& circuit, const Patch<arity>& patch) {
    const int base = circuit.num_signals;
    if (base + patch.num_gates > max_signals) return false;
    for (int g = 0; g < patch.num_gates; ++g) {
      Gate<arity> gate = patch.gate[g];
      for (auto& in : gate.in) {
        if (in >= max_signals) in = static_cast<std::uint8_t>(base + in - max_signals);
      }
      circuit.gate[circuit.num_signals] = gate;
      circuit.value[circuit.num_signals] = circuit.value_of(gate, circuit.value);
      ++circuit.num_signals;
    }
    return true;
  }

  bool accept(Circuit<arity>& circuit, const Circuit<arity>& changed, const std::uint8_t* with, int max_size) {
    Circuit<arity> rebuilt;
    if (!rebuild(changed, with, rebuilt) || rebuilt.num_signals > max_size) return false;
    circuit = rebuilt;
    return true;
  }

  /// One more gate: what one input of a gate reads gets a gate of its own there.
  bool split_edge(Circuit<arity>& circuit) {
    if (circuit.num_signals >= max_signals - 4) return false;
    const Dependence<arity> dependence(circuit);
    const int gate = circuit.box->num_inputs + random_.below(circuit.num_gates());
    const int place = random_.below(arity);
    const int read = circuit.gate[gate].in[place];
    const Table care = care_of_edge(circuit, dependence, gate, place);
    const Table on = circuit.value[read] & care;
    const Table off = care & ~on;
    if (on == 0 || off == 0) return false;
    Signals allowed = circuit.all() & ~dependence.below[gate];
    if (random_.one_in(2)) allowed &= ~only(read);
    const SignalSet set(circuit, allowed, random_);
    Choice<Patch<arity>> choice(random_);
    Patches::one(set, on, off, random_, [&](const Patch<arity>& patch) {
      choice.offer(patch);
      return false;
    });
    if (choice.count() == 0) return false;
    Circuit<arity> changed = circuit;
    if (!append(changed, choice.chosen())) return false;
    changed.gate[gate].in[place] = static_cast<std::uint8_t>(changed.num_signals - 1);
    return accept(circuit, changed, identity_, circuit.num_signals + 1);
  }

  /// Takes out a random gate with up to `size` - 1 of the gates that only it needs, and has them made anew.
  bool resynthesise(Circuit<arity>& circuit, int size) {
    const Dependence<arity> dependence(circuit);
    const int gate = circuit.box->num_inputs + random_.below(circuit.num_gates());
    const Signals cone = cone_of(circuit, dependence, gate);
    Signals taken = only(gate);
    for (int step = 0; step < 64 && __builtin_popcountll(taken) < size; ++step) {
      const int next = random_.below(circuit.num_signals);
      if (!has(cone, next) || (dependence.below[next] & ~only(next) & direct_users(circuit, next) & ~taken) != 0) continue;
      taken |= only(next);
    }
    const int num_taken = __builtin_popcountll(taken);
    if (num_taken < 3) return false;
    const Table care = care_of(circuit, dependence, gate);
    return regenerate(circuit, gate, circuit.all() & ~dependence.below[gate] & ~taken, care, num_taken);
  }
  static Signals direct_users(const Circuit<arity>& circuit, int signal) {
    Signals users = 0;
    for (int i = circuit.box->num_inputs; i < circuit.num_signals; ++i) {
      for (const int in : circuit.gate[i].in) {
        if (in == signal) users |= only(i);
      }
    }
    return users;
  }

  bool regenerate(Circuit<arity>& circuit, int gate, Signals allowed, Table care, int num_taken) {
    Circuit<arity> part(*circuit.box);  // the signals that may be read stand for its inputs
    part.num_signals = 0;
    std::uint8_t id[max_signals];
    for (Signals rest = allowed; rest != 0; rest &= rest - 1) {
      const int signal = __builtin_ctzll(rest);
      id[part.num_signals] = static_cast<std::uint8_t>(signal);
      part.value[part.num_signals++] = circuit.value[signal];
    }
    const int base = part.num_signals;
    const int made = Generator<Patches>(random_, 0.1).solve(part, circuit.value[gate], care, 0, num_taken);
    if (made < base) return false;
    Circuit<arity> changed = circuit;
    if (changed.num_signals + part.num_signals - base >= max_signals) return false;
    for (int i = base; i < part.num_signals; ++i) {
      Gate<arity> added = part.gate[i];
      for (auto& in : added.in) in = id[in];
      id[i] = static_cast<std::uint8_t>(changed.add(added));
    }
    std::uint8_t with[max_signals];
    std::copy(identity_, identity_ + max_signals, with);
    with[gate] = id[made];
    if (((circuit.value[gate] ^ changed.value[id[made]]) & care) != 0) {  // it is the complement
      Gate<arity> complement;
      for (auto& in : complement.in) in = id[made];
      complement.table = 1;
      Patch<arity> patch;
      patch.num_gates = 1;
      patch.gate[0] = complement;
      if (!append(changed, patch)) return false;
      with[gate] = static_cast<std::uint8_t>(changed.num_signals - 1);
    }
    return accept(circuit, changed, with, circuit.num_signals);
  }

  Random& random_;
  std::uint8_t identity_[max_signals];
};

}  // namespace circuits
