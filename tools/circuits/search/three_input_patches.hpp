// Patches of three-input gates.
#pragma once

#include "patches.hpp"

namespace circuits {

struct ThreeInputPatches {
  static constexpr int arity = 3;
  static constexpr int max_gates = 2;
  static constexpr int generator_budget = 12;  // gates for one output
  static constexpr int num_single_steps = 50;
  static constexpr int num_double_steps = 1;

  /// Patches of one gate.
  template <class Take>
  static bool one(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    const Signals all = all_of(set);
    for (int i = 0; i < set.count - 2; ++i) {
      const Table a = set.value[i];
      PairList pairs;
      pairs.add(set, on & a, off & a);
      pairs.add(set, on & ~a, off & ~a);
      Signals partners[max_signals];
      pairs.partners(set.count, partners);
      for (int j = i + 1; j < set.count - 1; ++j) {
        for (Signals rest = partners[j] & all & ~((only(j) << 1) - 1); rest != 0; rest &= rest - 1) {
          const int k = __builtin_ctzll(rest);
          const int table = table_for(a, set.value[j], set.value[k], on, off, random);
          if (table < 0) continue;
          Patch<3> patch;
          patch.num_gates = 1;
          patch.gate[0] = {{set.id[i], set.id[j], set.id[k]}, static_cast<std::uint8_t>(table)};
          if (take(patch)) return true;
        }
      }
    }
    return false;
  }

  /// Patches of two gates: a gate of three signals, and a gate that reads it and two others.
  template <class Take>
  static bool two(const SignalSet& set, Table on, Table off, Random& random, Take take) {
    for (int i = 0; i < set.count - 2; ++i) {
      for (int j = i + 1; j < set.count - 1; ++j) {
        for (int k = j + 1; k < set.count; ++k) {
          if (two_over(set, {i, j, k}, on, off, random, take)) return true;
        }
      }
    }
    return false;
  }

 private:
  struct Triple {
    int i, j, k;
  };

  static Signals all_of(const SignalSet& set) { return set.count == 64 ? ~Signals{0} : only(set.count) - 1; }

  /// Pairs of mixed positions, as the sets of signals that tell them apart.
  struct PairList {
    static constexpr int max_pairs = 32;
    Signals tells[max_pairs];
    int count = 0;

    void add(const SignalSet& set, Table on, Table off) {
      if (on == 0 || off == 0) return;
      Table x = on;
      Table y = off;
      for (int step = 0; step < 8 && count < max_pairs; ++step) {
        tells[count++] = set.at[__builtin_ctzll(x)] ^ set.at[__builtin_ctzll(y)];
        x &= x - 1;
        y &= y - 1;
        if (x == 0 && y == 0) break;
        if (x == 0) x = on;
        if (y == 0) y = off;
      }
    }
    /// partner[d]: the signals that together with signal d tell every pair apart. Of d's own place it says nothing.
    void partners(int num_signals, Signals* partner) const { find_partners(tells, count, num_signals, partner); }
  };
  static void find_partners(const Signals* tells, int num_pairs, int num_signals, Signals* partner);

  /// The patches whose first gate reads the triple.
  template <class Take>
  static bool two_over(const SignalSet& set, Triple first, Table on, Table off, Random& random, Take take) {
    const Table a = set.value[first.i];
    const Table b = set.value[first.j];
    const Table c = set.value[first.k];
    Table cell[8];
    PairList pairs;
    for (int n = 0; n < 8; ++n) {
      cell[n] = (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
      pairs.add(set, cell[n] & on, cell[n] & off);
    }
    if (pairs.count == 0) return false;  // one gate does
    Signals partners[max_signals];
    pairs.partners(set.count, partners);
    const Signals all = all_of(set);
    for (int d = 0; d < set.count - 1; ++d) {
      for (Signals rest = partners[d] & all & ~((only(d) << 1) - 1); rest != 0; rest &= rest - 1) {
        const int e = __builtin_ctzll(rest);
        const bool stopped = each_first_table(cell, set.value[d], set.value[e], on, off, [&](unsigned ones, unsigned zeros) {
          const unsigned free = static_cast<unsigned>(random.next() >> 40) & 0xff & ~zeros;
          Patch<3> patch;
          patch.num_gates = 2;
          patch.gate[0] = {{set.id[first.i], set.id[first.j], set.id[first.k]}, static_cast<std::uint8_t>(ones | free)};
          const Table inner = evaluate(a, b, c, ones | free);
          const int table = table_for(inner, set.value[d], set.value[e], on, off, random);
          patch.gate[1] = {{max_signals, set.id[d], set.id[e]}, static_cast<std::uint8_t>(table)};
          return table >= 0 && take(patch);
        });
        if (stopped) return true;
      }
    }
    return false;
  }

  /// Calls take(ones, zeros), what the table of the first gate must have where, for every such table that lets the last
  /// gate, which reads d and e too, tell on from off. Within each of the four cells of d and e, the first gate must be
  /// constant on the positions that must be 1 and the opposite on those that must be 0.
  template <class Take>
  static bool each_first_table(const Table (&cell)[8], Table d, Table e, Table on, Table off, Take take) {
    unsigned ones_of[4];
    unsigned zeros_of[4];
    unsigned count = 0;
    for (int n = 0; n < 4; ++n) {
      const Table row = (n & 2 ? d : ~d) & (n & 1 ? e : ~e);
      if ((row & on) == 0 || (row & off) == 0) continue;
      unsigned with_on = 0;
      unsigned with_off = 0;
      for (int m = 0; m < 8; ++m) {
        with_on |= static_cast<unsigned>((cell[m] & row & on) != 0) << m;
        with_off |= static_cast<unsigned>((cell[m] & row & off) != 0) << m;
      }
      if ((with_on & with_off) != 0) return false;
      ones_of[count] = with_on;
      zeros_of[count++] = with_off;
    }
    if (count == 0) return false;
    for (unsigned flips = 0; flips < 1U << (count - 1); ++flips) {
      unsigned ones = ones_of[0];
      unsigned zeros = zeros_of[0];
      for (unsigned n = 1; n < count; ++n) {
        const bool flip = flips >> (n - 1) & 1;
        ones |= flip ? zeros_of[n] : ones_of[n];
        zeros |= flip ? ones_of[n] : zeros_of[n];
      }
      if ((ones & zeros) == 0 && take(ones, zeros)) return true;
    }
    return false;
  }
};

}  // namespace circuits
