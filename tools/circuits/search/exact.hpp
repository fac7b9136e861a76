// Exact synthesis: a circuit of so many gates, or the proof that there is none, by a SAT solver (CaDiCaL).
//
// A model says for every gate which signals it reads and its table; its values at every row of the truth table follow. The
// encoding is the usual one (Kojevnikov, Kulikov, Yaroslavtsev, "Finding Efficient Circuits Using SAT-solvers", 2009).
#pragma once

#include <cstdint>
#include <vector>

namespace circuits {

/// What to synthesise. All inputs and wanted outputs must be 0 in the row of zeros, which is not listed; no gate complements
/// it.
struct ExactTask {
  int gate_inputs = 3;  // 2 or 3
  int num_inputs = 0;
  int num_outputs = 0;
  std::vector<std::uint64_t> inputs;   // of each row: bit i is input i
  std::vector<std::uint64_t> outputs;  // of each row: bit i is output i
};

struct ExactGate {
  int in[3];       // below num_inputs an input, then the gates; in rising order
  unsigned table;  // bit in[0] << 2 | in[1] << 1 | in[2], or in[0] << 1 | in[1]
};

struct ExactResult {
  enum { found, impossible, gave_up } verdict = gave_up;
  std::vector<ExactGate> gates;
  std::vector<int> outputs;
};

/// Looks for `num_gates` gates; gives up after so many conflicts (0: never). The seed decides between several solutions.
ExactResult synthesise(const ExactTask& task, int num_gates, std::uint64_t seed, int max_conflicts);

}  // namespace circuits
