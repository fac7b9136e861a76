// Circuits of any size, with up to eight input bits: what the resynthesis of windows works on.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "exact.hpp"

namespace circuits {

/// A signal's value at every input.
using WideTable = std::array<std::uint64_t, 4>;

/// Gates in topological order; signals are numbered inputs first. As in circuit.hpp every signal is 0 at input 0, and the
/// outputs that are to be 1 there are marked.
struct Netlist {
  std::string name;
  int gate_inputs = 3;
  std::vector<std::string> input_names;
  std::string output_names;  // as the text has them: y0..y7
  std::vector<ExactGate> gates;
  std::vector<int> outputs;
  std::vector<bool> complemented;

  int num_inputs() const { return static_cast<int>(input_names.size()); }
  int num_signals() const { return num_inputs() + static_cast<int>(gates.size()); }
  const ExactGate& gate_of(int signal) const { return gates[static_cast<std::size_t>(signal - num_inputs())]; }
  /// Of every signal.
  std::vector<WideTable> values() const;
};

/// The same without unused or equal gates and with gates that come before what they read put behind it; false if that is a
/// cycle.
bool tidy(Netlist& netlist);

/// Reads the first circuit of a text, whose input names are those that no gate defines, in the order given; gates may have
/// fewer inputs than gate_inputs. Throws std::runtime_error.
Netlist read_netlist(std::istream& in, const std::vector<std::string>& input_names, int gate_inputs);

/// Writes it. With two-input gates, a NOT follows each output that is complemented.
void write_netlist(std::ostream& out, const Netlist& netlist);

}  // namespace circuits
