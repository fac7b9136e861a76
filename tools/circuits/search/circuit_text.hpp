// Circuits as text, in the form that circuit_text.py reads.
#pragma once

#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "circuit.hpp"

namespace circuits {

/// What the complements that the outputs want cost, and where they go. Three-input gates take them in for nothing. Of
/// two-input gates only those that give 0 for 0, 0 exist, so that a circuit without NOT is 0 at input 0; a NOT behind some
/// signals, read by some of the gates that read them, must make the outputs what the box has there.
struct Complements {
  struct Not {
    int signal = -1;
    Signals readers = 0;          // the gates that read the complement of the signal
    unsigned output_readers = 0;  // the outputs that do
  };
  std::vector<Not> nots;
};
template <int arity>
Complements place_complements(const Circuit<arity>& circuit);

/// Gates and NOTs.
template <int arity>
int num_operations(const Circuit<arity>& circuit) {
  return circuit.num_gates() + static_cast<int>(place_complements(circuit).nots.size());
}

template <int arity>
void write_circuit(std::ostream& out, const Circuit<arity>& circuit);

/// The circuits of a file by the name of the box; those of other boxes are left out. Throws std::runtime_error if one is
/// wrong.
template <int arity>
std::multimap<std::string, Circuit<arity>> read_circuits(std::istream& in, const std::vector<Box>& boxes);

}  // namespace circuits
