// Patches of two-input gates.
#pragma once

#include "patches.hpp"

namespace circuits {

struct TwoInputPatches {
  static constexpr int arity = 2;
  static constexpr int max_gates = 3;
  static constexpr int generator_budget = 28;  // gates for one output
  static constexpr int num_single_steps = 50;
  static constexpr int num_double_steps = 5;

  /// Calls take(i, j) for every pair of signals that tell on from off; i, j are places in the set.
  template <class TakePair>
  static bool pairs(const SignalSet& set, Table on, Table off, TakePair take) {
    const Signals all = set.count == 64 ? ~Signals{0} : only(set.count) - 1;
    for (int i = 0; i < set.count - 1; ++i) {
      const Table a = set.value[i];
      Signals others = all & ~((only(i) << 1) - 1);
      narrow(set, on & a, off & a, others);
      narrow(set, on & ~a, off & ~a, others);
      for (; others != 0; others &= others - 1) {
        const int j = __builtin_ctzll(others);
        if (separate(a, set.value[j], on, off) && take(i, j)) return true;
      }
    }
    return false;
  }

  /// Patches of one gate.
  template <class Take>
  static bool one(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    return pairs(set, on, off, [&](int i, int j) {
      Patch<2> patch;
      patch.num_gates = 1;
      patch.gate[0] = {{set.id[i], set.id[j]}, table(set.value[i], set.value[j], on, off, random)};
      return take(patch);
    });
  }

  /// Patches of two gates: a gate that reads some signal k and a gate of two others.
  template <class Take>
  static bool two(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    return each_residue(set, on, off, random, [&](int k, Table inner_on, Table inner_off) {
      return pairs(set, inner_on, inner_off, [&](int i, int j) {
        if (i == k || j == k) return false;
        Patch<2> patch;
        patch.num_gates = 2;
        const std::uint8_t inner = table(set.value[i], set.value[j], inner_on, inner_off, random);
        patch.gate[0] = {{set.id[i], set.id[j]}, inner};
        const Table value = evaluate(set.value[i], set.value[j], inner);
        patch.gate[1] = {{max_signals, set.id[k]}, table(value, set.value[k], on, off, random)};
        return take(patch);
      });
    });
  }

  /// Patches of three gates: a chain, or a gate that reads two others. num_chains bounds how many signals the last gate of a
  /// chain is tried with.
  template <class Take>
  static bool three(const SignalSet& set, Table on, Table off, Random& random, int num_chains, Take take) {
    return chains(set, on, off, random, num_chains, take) || and_trees<false>(set, on, off, random, take) ||
           and_trees<true>(set, off, on, random, take) || xor_trees(set, on, off, random, take);
  }

 private:
  static std::uint8_t table(Table a, Table b, Table on, Table off, Random& random) {
    return static_cast<std::uint8_t>(table_for(a, b, on, off, random));
  }

  /// Leaves in `others` only signals that tell apart some of the pairs of positions that are mixed.
  static void narrow(const SignalSet& set, Table on, Table off, Signals& others) {
    if (on == 0 || off == 0) return;
    Table x = on;
    Table y = off;
    for (int step = 0; step < 6; ++step) {
      others &= set.at[__builtin_ctzll(x)] ^ set.at[__builtin_ctzll(y)];
      x &= x - 1;
      y &= y - 1;
      if (x == 0 && y == 0) break;
      if (x == 0) x = on;
      if (y == 0) y = off;
    }
  }

  /// Calls take(k, inner on, inner off) for every signal k and kind of gate: what the gate's other input must be.
  template <class TakeResidue>
  static bool each_residue(const SignalSet& set, Table on, Table off, Random& random, TakeResidue take) {
    const int first = random.below(set.count);
    for (int step = 0; step < set.count; ++step) {
      const int k = (first + step) % set.count;
      if (residues(set.value[k], on, off, [&](Table inner_on, Table inner_off) { return take(k, inner_on, inner_off); })) {
        return true;
      }
    }
    return false;
  }
  template <class TakeResidue>
  static bool residues(Table k, Table on, Table off, TakeResidue take) {
    const auto usable = [&](Table inner_on, Table inner_off) {
      return inner_on != 0 && inner_off != 0 && take(inner_on, inner_off);
    };
    if (usable((on & ~k) | (off & k), (off & ~k) | (on & k))) return true;  // XOR
    for (const Table side : {k, ~k}) {
      if ((on & ~side) == 0 && usable(on, off & side)) return true;   // side AND inner
      if ((off & ~side) == 0 && usable(on & side, off)) return true;  // NOT side OR inner
    }
    return false;
  }

  template <class Take>
  static bool chains(const SignalSet& set, Table on, Table off, Random& random, int num_chains, Take take) {
    int left = num_chains;
    bool stopped = false;
    each_residue(set, on, off, random, [&](int l, Table inner_on, Table inner_off) {
      stopped = two(set, inner_on, inner_off, random, [&](Patch<2> patch) {
        const auto in = [&](int place) {
          const int signal = patch.gate[1].in[place];
          return signal == max_signals ? value_in(set, patch.gate[0]) : value_of_id(set, signal);
        };
        const Table value = evaluate(in(0), in(1), patch.gate[1].table);
        patch.num_gates = 3;
        patch.gate[2] = {{max_signals + 1, set.id[l]}, table(value, set.value[l], on, off, random)};
        return take(patch);
      });
      return stopped || --left <= 0;
    });
    return stopped;
  }
  static Table value_of_id(const SignalSet& set, int id) {
    int i = 0;
    while (set.id[i] != id) ++i;
    return set.value[i];
  }
  static Table value_in(const SignalSet& set, const Gate<2>& gate) {
    return evaluate(value_of_id(set, gate.in[0]), value_of_id(set, gate.in[1]), gate.table);
  }

  /// A gate of two signals, with what it does for a tree.
  struct Leaf {
    Table does;
    std::uint8_t i, j, table;
  };

  /// Trees whose last gate is an AND of gates that are both 1 on `on`: between them they must be 0 on all of `off`. Of the
  /// gates of a pair of signals the one that is 1 least often does for all. Complemented, and with on and off exchanged,
  /// these are the trees of OR.
  template <bool complemented, class Take>
  static bool and_trees(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    Leaf leaves[max_signals * max_signals / 2];
    int count = 0;
    for (int i = 0; i < set.count - 1; ++i) {
      for (int j = i + 1; j < set.count; ++j) {
        const Table a = set.value[i];
        const Table b = set.value[j];
        const unsigned needed = ((on & ~a & ~b) != 0) | ((on & ~a & b) != 0) << 1 | ((on & a & ~b) != 0) << 2 |
                                static_cast<unsigned>((on & a & b) != 0) << 3;
        const Table zeros = off & ~evaluate(a, b, needed);
        if (zeros == 0 || zeros == off) continue;
        leaves[count++] = {zeros, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j),
                           static_cast<std::uint8_t>(needed)};
      }
    }
    for (int p = 0; p < count - 1; ++p) {
      const Table missing = off & ~leaves[p].does;
      for (int q = p + 1; q < count; ++q) {
        if ((missing & ~leaves[q].does) != 0) continue;
        const Table wanted_on = complemented ? off : on;
        if (take(tree(set, leaves[p], leaves[q], wanted_on, on ^ off ^ wanted_on, random))) return true;
      }
    }
    return false;
  }
  static Patch<2> tree(const SignalSet& set, const Leaf& left, const Leaf& right, Table on, Table off, Random& random) {
    Patch<2> patch;
    patch.num_gates = 3;
    patch.gate[0] = {{set.id[left.i], set.id[left.j]}, left.table};
    patch.gate[1] = {{set.id[right.i], set.id[right.j]}, right.table};
    const Table a = evaluate(set.value[left.i], set.value[left.j], left.table);
    const Table b = evaluate(set.value[right.i], set.value[right.j], right.table);
    patch.gate[2] = {{max_signals, max_signals + 1}, table(a, b, on, off, random)};
    return patch;
  }

  /// Trees whose last gate is an XOR: of all gates, two whose XOR is the function where it is not free.
  template <class Take>
  static bool xor_trees(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    constexpr std::uint8_t tables[] = {0b1000, 0b0100, 0b0010, 0b1110, 0b0110};
    constexpr int num_slots = 1 << 15;
    static thread_local Leaf slot[num_slots];
    static thread_local std::uint32_t filled[num_slots];
    static thread_local std::uint32_t now = 0;
    ++now;
    const Table care = on | off;
    const Table lowest = care & (~care + 1);
    const auto key_of = [care, lowest](Table value) { return (value & lowest ? ~value : value) & care; };
    const auto hash = [](Table key) { return static_cast<int>(key * 0x9e3779b97f4a7c15U >> 49); };
    for (int i = 0; i < set.count - 1; ++i) {
      for (int j = i + 1; j < set.count; ++j) {
        for (const std::uint8_t table : tables) {
          const Table value = evaluate(set.value[i], set.value[j], table);
          const Leaf leaf = {key_of(value), static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j), table};
          const Table partner = key_of(value ^ on);
          for (int h = hash(partner); filled[h] == now; h = (h + 1) % num_slots) {
            if (slot[h].does == partner && take(tree(set, slot[h], leaf, on, off, random))) return true;
          }
          int h = hash(leaf.does);
          while (filled[h] == now && slot[h].does != leaf.does) h = (h + 1) % num_slots;
          slot[h] = leaf;  // of equal gates, the last
          filled[h] = now;
        }
      }
    }
    return false;
  }
};

}  // namespace circuits
