// Finds circuits of two-input operations for Serpent's S-boxes whose outputs are there early, rather than small ones: for one block
// at a time, where every operation waits for the one before.
//
//   find_early_circuits BOX SECONDS SEED CIRCUITS.txt    BOX: S0 to S7. Prints the best circuit, as serpent_early_circuits.txt has
//   them; CIRCUITS.txt has one to begin with (serpent_two_input_circuits.txt).
//
// Simulated annealing over circuits that compute the box. Gates that nothing uses may be anything, and so come to compute by chance
// what another one does. Each step computes a gate in another way from what there is, or lets who uses it use its equal.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using Table = std::uint16_t;  // of a function of x0 to x3, one bit for each value of them

// R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard", appendix A.5.
constexpr int boxes[8][16] = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12}, {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2}, {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13}, {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0}, {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6}};

// When the words are there, in operations: those that the linear transformation of the round before rotates last come later. And
// how much later than y0 and y2 the others may come: they are rotated first there.
constexpr int arrival[4] = {2, 0, 2, 0};
constexpr int allowance[4] = {0, 2, 0, 1};

enum Operation { op_and, op_or, op_xor, op_andnot, op_not, num_operations };
constexpr const char* operation_names[] = {"and", "or", "xor", "andnot", "not"};
constexpr int num_gates = 44;
constexpr int num_values = 4 + num_gates;

struct Gate {
  Operation operation;
  int a, b;  // b of op_not is ignored
};

struct Circuit {
  std::array<Gate, num_gates> gates;
  std::array<int, 4> outputs;
};

struct Score {
  int wrong;  // bits of the outputs
  int late;   // when the last output is there, its allowance subtracted
  int late_sum;
  int used;
  friend auto operator<=>(const Score&, const Score&) = default;
};

Table apply(Operation operation, Table a, Table b) {
  switch (operation) {
    case op_and:
      return a & b;
    case op_or:
      return a | b;
    case op_xor:
      return a ^ b;
    case op_andnot:
      return a & static_cast<Table>(~b);
    default:
      return static_cast<Table>(~a);
  }
}

std::array<Table, num_values> tables_of(const Circuit& circuit) {
  std::array<Table, num_values> table{0xaaaa, 0xcccc, 0xf0f0, 0xff00};
  for (int i = 0; i < num_gates; ++i) {
    const Gate& gate = circuit.gates[i];
    table[4 + i] = apply(gate.operation, table[gate.a], table[gate.b]);
  }
  return table;
}

// A bit for each value that an output needs.
std::uint64_t used_values(const Circuit& circuit) {
  std::uint64_t used = 0;
  for (const int output : circuit.outputs) used |= std::uint64_t{1} << output;
  for (int i = num_values - 1; i >= 4; --i) {
    if ((used >> i & 1) != 0)
      used |= std::uint64_t{1} << circuit.gates[i - 4].a | std::uint64_t{1} << circuit.gates[i - 4].b;
  }
  return used;
}

Score score_of(const Circuit& circuit, const std::array<Table, 4>& wanted) {
  const auto table = tables_of(circuit);
  std::array<int, num_values> time{arrival[0], arrival[1], arrival[2], arrival[3]};
  for (int i = 0; i < num_gates; ++i) {
    const Gate& gate = circuit.gates[i];
    time[4 + i] = (gate.operation == op_not ? time[gate.a] : std::max(time[gate.a], time[gate.b])) + 1;
  }
  Score score{0, 0, 0, __builtin_popcountll(used_values(circuit) >> 4)};
  for (int i = 0; i < 4; ++i) {
    const int output = circuit.outputs[i];
    score.wrong += __builtin_popcount(table[output] ^ wanted[i]);
    const int late = time[output] - allowance[i];
    score.late = std::max(score.late, late);
    score.late_sum += late;
  }
  return score;
}

class Walk {
 public:
  Walk(const Circuit& start, const std::array<Table, 4>& wanted, unsigned seed)
      : wanted_(wanted), random_(seed), circuit_(start), score_(score_of(start, wanted)) {}

  void step(double temperature) {
    Circuit changed = circuit_;
    for (int i = below(12); i != 0; --i) fill_unused(changed);
    if (!resubstitute(changed)) return;
    const Score score = score_of(changed, wanted_);
    const double worse = cost(score) - cost(score_);
    if (worse > 0 && std::uniform_real_distribution<>()(random_) > std::exp(-worse / temperature)) return;
    circuit_ = changed;
    score_ = score;
  }
  const Circuit& circuit() const { return circuit_; }
  const Score& score() const { return score_; }

 private:
  static double cost(const Score& s) { return s.late * 6.0 + s.late_sum * 0.5 + s.used; }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void fill_unused(Circuit& circuit) {
    const int i = below(num_gates);
    if ((used_values(circuit) >> (4 + i) & 1) != 0) return;
    circuit.gates[i] = {static_cast<Operation>(below(num_operations)), below(4 + i), below(4 + i)};
  }
  // Another way to compute a gate that is used, or another value for an output, from what there is.
  bool resubstitute(Circuit& circuit) {
    const auto table = tables_of(circuit);
    const std::uint64_t used = used_values(circuit);
    const int i = below(num_gates);
    if ((used >> (4 + i) & 1) == 0) return false;
    const Table f = table[4 + i];
    for (int tries = 0; tries < 200; ++tries) {
      const Gate gate{static_cast<Operation>(below(num_operations)), below(4 + i), below(4 + i)};
      if (apply(gate.operation, table[gate.a], table[gate.b]) != f) continue;
      circuit.gates[i] = gate;
      break;
    }
    for (int v = 0; v < num_values; ++v) {  // and whoever uses it may use its equal instead
      if (v == 4 + i || table[v] != f) continue;
      for (int j = std::max(v, 4 + i) + 1 - 4; j < num_gates; ++j) {
        if (circuit.gates[j].a == 4 + i && below(2) == 0) circuit.gates[j].a = v;
        if (circuit.gates[j].b == 4 + i && below(2) == 0) circuit.gates[j].b = v;
      }
      for (int& output : circuit.outputs) {
        if (output == 4 + i && below(2) == 0) output = v;
      }
    }
    return true;
  }

  std::array<Table, 4> wanted_;
  std::mt19937 random_;
  Circuit circuit_;
  Score score_;
};

void print(const std::string& name, const Circuit& circuit, const Score& score) {
  const std::uint64_t used = used_values(circuit);
  std::array<std::string, num_values> names{"x0", "x1", "x2", "x3"};
  std::printf("%s %d\n", name.c_str(), score.used);
  int next = 0;
  for (int i = 4; i < num_values; ++i) {
    if ((used >> i & 1) == 0) continue;
    const Gate& gate = circuit.gates[i - 4];
    names[i] = 't';
    names[i] += std::to_string(next++);
    std::printf("%s %s %s", names[i].c_str(), operation_names[gate.operation], names[gate.a].c_str());
    std::printf(gate.operation == op_not ? "\n" : " %s\n", names[gate.b].c_str());
  }
  std::printf("y0..y3");
  for (const int output : circuit.outputs) std::printf(" %s", names[output].c_str());
  std::printf("\n");
}

// The circuit of this box in a file of circuits, its gates spread so that others fit between.
Circuit read_circuit(const char* path, const std::string& box) {
  std::ifstream file(path);
  std::map<std::string, int> values{{"x0", 0}, {"x1", 1}, {"x2", 2}, {"x3", 3}};
  Circuit circuit;
  circuit.gates.fill({op_and, 0, 0});
  int next = 1;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, operation, operand;
    words >> name >> operation;
    if (name[0] == 'S' || name[0] == 'I') inside = name == box;
    if (!inside || name == box) continue;
    if (name == "y0..y3") {
      circuit.outputs[0] = values.at(operation);
      for (int i = 1; i < 4; ++i) {
        words >> operand;
        circuit.outputs[i] = values.at(operand);
      }
      return circuit;
    }
    if (name.empty() || name[0] != 't') continue;
    Gate gate{op_and, 0, 0};
    while (operation != operation_names[gate.operation]) gate.operation = static_cast<Operation>(gate.operation + 1);
    words >> operand;
    gate.a = gate.b = values.at(operand);
    if (words >> operand) gate.b = values.at(operand);
    circuit.gates[next] = gate;
    values[name] = 4 + next;
    next += next + 2 < num_gates ? 2 : 1;
  }
  std::fprintf(stderr, "no circuit of %s\n", box.c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || argv[1][0] != 'S' || argv[1][1] < '0' || argv[1][1] > '7') {
    std::fprintf(stderr, "usage: find_early_circuits S0..S7 SECONDS SEED CIRCUITS.txt\n");
    return 2;
  }
  std::array<Table, 4> wanted{};
  for (int x = 0; x < 16; ++x) {
    for (int i = 0; i < 4; ++i) wanted[i] |= static_cast<Table>((boxes[argv[1][1] - '0'][x] >> i & 1) << x);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  const Circuit start = read_circuit(argv[4], argv[1]);
  Circuit best = start;
  Score best_score = score_of(start, wanted);
  for (unsigned seed = static_cast<unsigned>(std::atoi(argv[3])) * 1000; std::chrono::steady_clock::now() < end; ++seed) {
    Walk walk(start, wanted, seed);
    constexpr int num_rounds = 3000;
    for (int round = 0; round < num_rounds && std::chrono::steady_clock::now() < end; ++round) {
      const double temperature = 2.0 * (num_rounds - round) / num_rounds + 0.05;
      for (int i = 0; i < 300; ++i) {
        walk.step(temperature);
        if (walk.score() < best_score) {
          best_score = walk.score();
          best = walk.circuit();
        }
      }
    }
  }
  if (best_score.wrong != 0) return 1;
  std::fprintf(stderr, "%s: %d late, %d in all, %d gates\n", argv[1], best_score.late, best_score.late_sum, best_score.used);
  print(argv[1], best, best_score);
}
