// All the ways to compute a function by one, two or three gates over signals that exist.
//
// The function is given by the positions where it must be 1 (`on`) and where it must be 0 (`off`); elsewhere it is free. Two
// positions, one of each kind, are *mixed* while no signal read so far tells them apart: a gate can be found when nothing is
// mixed. A set keeps its values by position as well, so that the signals which tell two positions apart are one XOR.
#pragma once

#include "circuit.hpp"
#include "random.hpp"

namespace circuits {

/// Signals that a patch may read.
struct SignalSet {
  int count = 0;
  Table value[max_signals];
  std::uint8_t id[max_signals];  // in the circuit
  Signals at[64];                // by position: bit i is the value of the i-th signal of this set

  /// In random order: a search that stops early has no favourites.
  template <int arity>
  SignalSet(const Circuit<arity>& circuit, Signals allowed, Random& random);
};

/// Gates that replace something. An input below max_signals is a signal of the circuit, max_signals + i is gate i of the
/// patch; the last gate gives the function wanted.
template <int arity>
struct Patch {
  int num_gates = 0;
  Gate<arity> gate[3];
};

/// What a search of patches calls with each; true stops it.
template <class T>
using Take = T&&;

/// A table of a gate that reads a, b (and c) and is 1 on `on` and 0 on `off`, or -1. What is free is random.
int table_for(Table a, Table b, Table on, Table off, Random& random);
int table_for(Table a, Table b, Table c, Table on, Table off, Random& random);

/// Whether the gate that reads these can tell on from off.
inline bool separate(Table a, Table b, Table on, Table off) {
  const auto mixed = [on, off](Table cell) { return (on & cell) != 0 && (off & cell) != 0; };
  return !(mixed(a & b) || mixed(a & ~b) || mixed(~a & b) || mixed(~a & ~b));
}

/// One of several, each with the same chance, without a list of them.
template <class T>
class Choice {
 public:
  explicit Choice(Random& random) : random_(random) {}
  void offer(const T& item) {
    if (random_.below(++count_) == 0) chosen_ = item;
  }
  int count() const { return count_; }
  const T& chosen() const { return chosen_; }

 private:
  Random& random_;
  int count_ = 0;
  T chosen_{};
};

}  // namespace circuits
