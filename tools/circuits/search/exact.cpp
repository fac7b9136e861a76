#include "exact.hpp"

#include <cadical.hpp>

#include "random.hpp"

namespace circuits {
namespace {

// A literal of the solver, or a constant.
struct Literal {
  int number;  // 0: false, constant_true: true
};
constexpr int constant_true = 1 << 30;
Literal constant(bool value) { return {value ? constant_true : 0}; }
Literal operator~(Literal x) { return {x.number == 0 ? constant_true : x.number == constant_true ? 0 : -x.number}; }

class Encoding {
 public:
  Encoding(const ExactTask& task, int num_gates, std::uint64_t seed) : task_(task), num_gates_(num_gates), random_(seed) {
    solver_.set("quiet", 1);
    make_choices();
    for (std::size_t row = 0; row < task.inputs.size(); ++row) make_row(row);
    order_gates();
    use_gates();
  }

  ExactResult solve(int max_conflicts) {
    if (max_conflicts > 0) solver_.limit("conflicts", max_conflicts);
    ExactResult result;
    const int status = solver_.solve();
    if (status == 20) result.verdict = ExactResult::impossible;
    if (status != 10) return result;
    result.verdict = ExactResult::found;
    for (int gate = 0; gate < num_gates_; ++gate) result.gates.push_back(gate_of_model(gate));
    for (const auto& choice : output_) result.outputs.push_back(chosen(choice));
    return result;
  }

 private:
  using Choice = std::vector<Literal>;  // of the signal read

  Literal variable() {
    solver_.phase(random_.one_in(2) ? ++num_variables_ : -++num_variables_);
    return {num_variables_};
  }
  void clause(std::initializer_list<Literal> literals) {
    for (const Literal x : literals) {
      if (x.number == constant_true) return;
    }
    for (const Literal x : literals) {
      if (x.number != 0) solver_.add(x.number);
    }
    solver_.add(0);
  }

  // One of the first `count` signals.
  Choice choice_of(int count) {
    Choice choice;
    for (int i = 0; i < count; ++i) choice.push_back(variable());
    for (const Literal x : choice) solver_.add(x.number);
    solver_.add(0);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < i; ++j) clause({~choice[i], ~choice[j]});
    }
    return choice;
  }

  void make_choices() {
    const int width = 1 << task_.gate_inputs;
    for (int gate = 0; gate < num_gates_; ++gate) {
      const int count = task_.num_inputs + gate;
      std::vector<Choice> reads;
      for (int k = 0; k < task_.gate_inputs; ++k) reads.push_back(choice_of(count));
      for (int k = 0; k + 1 < task_.gate_inputs; ++k) {
        for (int i = 0; i < count; ++i) {
          for (int j = 0; j <= i; ++j) clause({~reads[k][i], ~reads[k + 1][j]});
        }
      }
      reads_.push_back(reads);
      std::vector<Literal> table = {constant(false)};
      for (int i = 1; i < width; ++i) table.push_back(variable());
      table_.push_back(table);
    }
    for (int i = 0; i < task_.num_outputs; ++i) output_.push_back(choice_of(task_.num_inputs + num_gates_));
  }

  void make_row(std::size_t row) {
    std::vector<Literal> value;
    for (int i = 0; i < task_.num_inputs; ++i) value.push_back(constant(task_.inputs[row] >> i & 1));
    for (int gate = 0; gate < num_gates_; ++gate) {
      std::vector<Literal> read;
      for (const Choice& choice : reads_[gate]) {
        read.push_back(variable());
        equal_if_chosen(choice, value, read.back());
      }
      const Literal result = variable();
      for (int i = 0; i < 1 << task_.gate_inputs; ++i) look_up(gate, i, read, result);
      value.push_back(result);
    }
    for (int i = 0; i < task_.num_outputs; ++i) {
      equal_if_chosen(output_[i], value, constant(task_.outputs[row] >> i & 1));
    }
  }
  void equal_if_chosen(const Choice& choice, const std::vector<Literal>& value, Literal read) {
    for (std::size_t i = 0; i < choice.size(); ++i) {
      clause({~choice[i], ~read, value[i]});
      clause({~choice[i], read, ~value[i]});
    }
  }
  // Where the gate reads the bits of `index`, its result is that entry of its table.
  void look_up(int gate, int index, const std::vector<Literal>& read, Literal result) {
    const auto differs = [&](int k) { return index >> (task_.gate_inputs - 1 - k) & 1 ? ~read[k] : read[k]; };
    const Literal entry = table_[gate][index];
    const Literal third = task_.gate_inputs == 3 ? differs(2) : constant(false);
    clause({differs(0), differs(1), third, ~entry, result});
    clause({differs(0), differs(1), third, entry, ~result});
  }

  // Two neighbours of which the second does not read the first could change places: the one that reads the higher signal
  // stands second.
  void order_gates() {
    const int top = task_.gate_inputs - 1;
    for (int gate = 0; gate + 1 < num_gates_; ++gate) {
      const Choice& first = reads_[gate][top];
      for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) clause({~first[i], ~reads_[gate + 1][top][j]});
      }
    }
  }
  void use_gates() {
    for (int gate = 0; gate < num_gates_; ++gate) {
      const int signal = task_.num_inputs + gate;
      for (int later = gate + 1; later < num_gates_; ++later) {
        for (const Choice& choice : reads_[later]) solver_.add(choice[signal].number);
      }
      for (const Choice& choice : output_) solver_.add(choice[signal].number);
      solver_.add(0);
    }
  }

  bool is_true(Literal x) { return x.number == constant_true || (x.number != 0 && solver_.val(x.number) > 0); }
  int chosen(const Choice& choice) {
    int i = 0;
    while (!is_true(choice[i])) ++i;
    return i;
  }
  ExactGate gate_of_model(int gate) {
    ExactGate result{};
    for (int k = 0; k < task_.gate_inputs; ++k) result.in[k] = chosen(reads_[gate][k]);
    for (int i = 0; i < 1 << task_.gate_inputs; ++i) result.table |= static_cast<unsigned>(is_true(table_[gate][i])) << i;
    return result;
  }

  const ExactTask& task_;
  int num_gates_;
  Random random_;
  CaDiCaL::Solver solver_;
  int num_variables_ = 0;
  std::vector<std::vector<Choice>> reads_;   // by gate and place
  std::vector<std::vector<Literal>> table_;  // by gate and entry
  std::vector<Choice> output_;
};

}  // namespace

ExactResult synthesise(const ExactTask& task, int num_gates, std::uint64_t seed, int max_conflicts) {
  return Encoding(task, num_gates, seed).solve(max_conflicts);
}

}  // namespace circuits
