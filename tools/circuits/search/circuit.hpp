// Circuits of gates with `arity` inputs, any table each, over signals that are all 0 when the input is 0.
//
// To complement a signal costs a three-input gate nothing, and of the two-input gates those that give 0 for 0, 0 are just
// AND, OR, XOR and the two AND-NOTs, which is what machines have. So a search need not see complements at all; those that
// the box's outputs want are put in at the end (circuit_text.hpp).
#pragma once

#include "box.hpp"

namespace circuits {

inline constexpr int max_signals = 64;  // so that a set of signals is a word

using Signals = std::uint64_t;  // bit i: signal i

inline Signals only(int signal) { return Signals{1} << signal; }
inline bool has(Signals set, int signal) { return set >> signal & 1; }

/// table bit (in[0] << 1 | in[1]), or (in[0] << 2 | in[1] << 1 | in[2]).
template <int arity>
struct Gate {
  std::uint8_t in[arity];
  std::uint8_t table;
};

template <int arity>
inline constexpr unsigned full_table = (1U << (1U << arity)) - 1;

inline Table evaluate(Table a, Table b, unsigned table) {
  const auto row = [table](unsigned i) { return Table{0} - (table >> i & 1); };
  return (a & ((b & row(3)) | (~b & row(2)))) | (~a & ((b & row(1)) | (~b & row(0))));
}
inline Table evaluate(Table a, Table b, Table c, unsigned table) {
  return (a & evaluate(b, c, table >> 4)) | (~a & evaluate(b, c, table & 15));
}

template <int arity>
struct Circuit {
  const Box* box = nullptr;
  int num_signals = 0;                    // the box's inputs come first
  int wanted = 0;                         // bit i: output i is computed
  std::uint8_t output[max_outputs] = {};  // its signal
  Table value[max_signals];
  Gate<arity> gate[max_signals];

  Circuit() = default;
  explicit Circuit(const Box& of) : box(&of), num_signals(of.num_inputs) {
    for (int i = 0; i < of.num_inputs; ++i) value[i] = of.input[i];
  }

  int num_gates() const { return num_signals - box->num_inputs; }
  Signals all() const { return num_signals == max_signals ? ~Signals{0} : only(num_signals) - 1; }
  bool is_input(int signal) const { return signal < box->num_inputs; }

  Table value_of(const Gate<arity>& g, const Table* values) const {
    if constexpr (arity == 2) {
      return evaluate(values[g.in[0]], values[g.in[1]], g.table) & box->all;
    } else {
      return evaluate(values[g.in[0]], values[g.in[1]], values[g.in[2]], g.table) & box->all;
    }
  }

  /// Appends the gate, complemented if it would be 1 at input 0.
  int add(Gate<arity> g) {
    if (g.table & 1) g.table = static_cast<std::uint8_t>(~g.table & full_table<arity>);
    value[num_signals] = value_of(g, value);
    gate[num_signals] = g;
    return num_signals++;
  }

  /// Whether every wanted output is computed.
  bool is_right() const {
    for (int i = 0; i < box->num_outputs; ++i) {
      if (has(static_cast<Signals>(wanted), i) && value[output[i]] != box->output[i]) return false;
    }
    return true;
  }
};

/// `from` with signal i replaced by signal substitute[i] wherever it is used, in topological order, without equal or unused
/// gates. False if the replacements close a cycle or change a wanted output.
template <int arity>
bool rebuild(const Circuit<arity>& from, const std::uint8_t* substitute, Circuit<arity>& to);

/// What depends on what.
template <int arity>
struct Dependence {
  Signals above[max_signals];  // the signals that a signal depends on, itself included
  Signals below[max_signals];  // those that depend on it, itself included
  int num_uses[max_signals];   // by gates and as outputs

  explicit Dependence(const Circuit<arity>& circuit);
};

/// The positions at which the wanted outputs change if the signal does.
template <int arity>
Table care_of(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int signal);

/// The same for one input of a gate: if what it reads there changes.
template <int arity>
Table care_of_edge(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int gate, int place);

/// The gates that nothing uses once the gate `signal` is gone.
template <int arity>
Signals cone_of(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int signal);

}  // namespace circuits
