#include "netlist.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>

namespace circuits {
namespace {

constexpr struct {
  const char* name;
  unsigned table;
} operations[] = {{"and", 0b1000}, {"or", 0b1110}, {"xor", 0b0110}, {"andnot", 0b0100}};

// The bits of input i at all inputs.
WideTable input_table(int i, int num_inputs) {
  WideTable table{};
  for (int x = 0; x < 1 << num_inputs; ++x) {
    if (x >> i & 1) table[static_cast<std::size_t>(x / 64)] |= std::uint64_t{1} << (x % 64);
  }
  return table;
}

WideTable value_of(const ExactGate& gate, int gate_inputs, const std::vector<WideTable>& values) {
  WideTable result{};
  for (unsigned i = 0; i < 1U << gate_inputs; ++i) {
    if (!(gate.table >> i & 1)) continue;
    for (std::size_t word = 0; word < result.size(); ++word) {
      std::uint64_t cell = ~std::uint64_t{0};
      for (int k = 0; k < gate_inputs; ++k) {
        const std::uint64_t in = values[static_cast<std::size_t>(gate.in[k])][word];
        cell &= i >> (gate_inputs - 1 - k) & 1 ? in : ~in;
      }
      result[word] |= cell;
    }
  }
  return result;
}

// The gate's inputs in rising order.
void sort_inputs(ExactGate& gate, int gate_inputs) {
  for (int end = gate_inputs - 1; end > 0; --end) {
    for (int k = 0; k < end; ++k) {
      if (gate.in[k] <= gate.in[k + 1]) continue;
      std::swap(gate.in[k], gate.in[k + 1]);
      const int high = gate_inputs - 1 - k;  // the bits of the index that change places
      unsigned table = 0;
      for (unsigned i = 0; i < 1U << gate_inputs; ++i) {
        const unsigned differ = (i >> high ^ i >> (high - 1)) & 1;
        table |= (gate.table >> (i ^ differ << high ^ differ << (high - 1)) & 1U) << i;
      }
      gate.table = table;
    }
  }
}

}  // namespace

std::vector<WideTable> Netlist::values() const {
  std::vector<WideTable> values;
  for (int i = 0; i < num_inputs(); ++i) values.push_back(input_table(i, num_inputs()));
  for (const ExactGate& gate : gates) values.push_back(value_of(gate, gate_inputs, values));
  return values;
}

namespace {

class Tidy {
 public:
  explicit Tidy(Netlist& netlist)
      : from_(netlist), to_(netlist), place_(static_cast<std::size_t>(netlist.num_signals()), -1) {
    to_.gates.clear();
    for (int i = 0; i < from_.num_inputs(); ++i) {
      place_[static_cast<std::size_t>(i)] = i;
      values_.push_back(input_table(i, from_.num_inputs()));
      first_with_.emplace(values_.back(), i);
    }
  }
  bool run() {
    for (int& output : to_.outputs) {
      if (!visit(output)) return false;
      output = place_[static_cast<std::size_t>(output)];
    }
    from_ = to_;
    return true;
  }

 private:
  static constexpr int open = -2;

  bool visit(int signal) {
    int& place = place_[static_cast<std::size_t>(signal)];
    if (place == open) return false;
    if (place >= 0) return true;
    place = open;
    ExactGate gate = from_.gate_of(signal);
    for (int k = 0; k < from_.gate_inputs; ++k) {
      if (!visit(gate.in[k])) return false;
      gate.in[k] = place_[static_cast<std::size_t>(gate.in[k])];
    }
    sort_inputs(gate, from_.gate_inputs);
    const WideTable value = value_of(gate, from_.gate_inputs, values_);
    const auto [found, is_new] = first_with_.emplace(value, to_.num_signals());
    if (is_new) {
      to_.gates.push_back(gate);
      values_.push_back(value);
    }
    place_[static_cast<std::size_t>(signal)] = found->second;
    return true;
  }

  Netlist& from_;
  Netlist to_;
  std::vector<int> place_;
  std::vector<WideTable> values_;
  std::map<WideTable, int> first_with_;
};

}  // namespace

bool tidy(Netlist& netlist) {
  if (!Tidy(netlist).run()) return false;
  const std::size_t before = netlist.gates.size();
  if (!Tidy(netlist).run()) return false;  // gates that lost their readers to equal ones
  return netlist.gates.size() == before || tidy(netlist);
}

namespace {

class NetlistReader {
 public:
  NetlistReader(const std::vector<std::string>& input_names, int gate_inputs) {
    netlist_.gate_inputs = gate_inputs;
    netlist_.input_names = input_names;
    for (int i = 0; i < netlist_.num_inputs(); ++i) place_[input_names[static_cast<std::size_t>(i)]] = {i, false};
  }

  Netlist read(std::istream& in) {
    for (std::string text; std::getline(in, text);) {
      std::istringstream line(text);
      std::vector<std::string> words;
      for (std::string word; line >> word;) words.push_back(word);
      if (words.empty() || words[0][0] == '#') continue;
      if (words[0].find("..") != std::string::npos) return finish(words);
      if (words.size() == 2)
        netlist_.name = words[0];
      else
        read_gate(words);
    }
    throw std::runtime_error("no circuit in the file");
  }

 private:
  void read_gate(const std::vector<std::string>& words) {
    if (words[1] == "not") {
      const auto [signal, complemented] = place_.at(words[2]);
      place_[words[0]] = {signal, !complemented};
      return;
    }
    const auto* operation =
        std::find_if(std::begin(operations), std::end(operations), [&](const auto& each) { return words[1] == each.name; });
    const bool named = operation != std::end(operations);
    const int num_read = named ? 2 : 3;
    if (num_read > netlist_.gate_inputs) throw std::runtime_error("a gate of three inputs among those of two");
    const unsigned table = named ? operation->table : static_cast<unsigned>(std::stoul(words.at(4), nullptr, 16));
    ExactGate gate{};
    unsigned flips = 0;
    for (int k = 0; k < netlist_.gate_inputs; ++k) {  // a gate of two inputs reads its second twice
      const auto [signal, complemented] =
          place_.at(words.at(static_cast<std::size_t>(std::min(k, num_read - 1) + (named ? 2 : 1))));
      gate.in[k] = signal;
      flips |= static_cast<unsigned>(complemented) << (netlist_.gate_inputs - 1 - k);
    }
    const unsigned width = 1U << netlist_.gate_inputs;
    for (unsigned i = 0; i < width; ++i) {
      const unsigned read = i ^ flips;
      gate.table |= (table >> (netlist_.gate_inputs > num_read ? read >> 1 : read) & 1U) << i;
    }
    const bool complemented = gate.table & 1;
    if (complemented) gate.table = ~gate.table & ((1U << width) - 1);
    place_[words[0]] = {netlist_.num_signals(), complemented};
    netlist_.gates.push_back(gate);
  }

  Netlist finish(const std::vector<std::string>& words) {
    netlist_.output_names = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto [signal, complemented] = place_.at(words[i]);
      netlist_.outputs.push_back(signal);
      netlist_.complemented.push_back(complemented);
    }
    tidy(netlist_);
    return netlist_;
  }

  Netlist netlist_;
  std::map<std::string, std::pair<int, bool>> place_;
};

class NetlistWriter {
 public:
  NetlistWriter(std::ostream& out, const Netlist& netlist) : out_(out), netlist_(netlist), names_(netlist.input_names) {}

  void write() {
    std::vector<bool> flipped(static_cast<std::size_t>(netlist_.num_signals()));
    const bool folds = netlist_.gate_inputs == 3;
    for (std::size_t i = 0; i < netlist_.outputs.size(); ++i) {
      if (folds && netlist_.complemented[i]) flipped[static_cast<std::size_t>(netlist_.outputs[i])] = true;
    }
    for (const ExactGate& gate : netlist_.gates) write_gate(gate, flipped);
    std::string outputs;
    for (std::size_t i = 0; i < netlist_.outputs.size(); ++i) outputs.append(" ").append(output_name(i, folds));
    const std::size_t num_gates = names_.size() - netlist_.input_names.size() + num_nots_;
    out_ << netlist_.name << ' ' << num_gates << '\n' << text_.str() << netlist_.output_names << outputs << "\n\n";
  }

 private:
  std::string next_name() const {
    return std::string("t").append(std::to_string(names_.size() - netlist_.input_names.size() + num_nots_));
  }

  std::string output_name(std::size_t i, bool folds) {
    const std::string name = names_[static_cast<std::size_t>(netlist_.outputs[i])];
    if (folds || !netlist_.complemented[i]) return name;
    const std::string complement = next_name();
    text_ << complement << " not " << name << '\n';
    ++num_nots_;
    return complement;
  }

  void write_gate(const ExactGate& gate, const std::vector<bool>& flipped) {
    const std::string name = next_name();
    std::string in[3];
    unsigned flips = 0;
    for (int k = 0; k < netlist_.gate_inputs; ++k) {
      const auto signal = static_cast<std::size_t>(gate.in[k]);
      in[k] = names_[signal];
      flips |= static_cast<unsigned>(flipped[signal]) << (netlist_.gate_inputs - 1 - k);
    }
    const unsigned width = 1U << netlist_.gate_inputs;
    unsigned table = flipped[names_.size()] ? (1U << width) - 1 : 0;
    for (unsigned i = 0; i < width; ++i) table ^= (gate.table >> (i ^ flips) & 1U) << i;
    names_.push_back(name);
    if (netlist_.gate_inputs == 3) {
      char hex[3];
      std::snprintf(hex, sizeof hex, "%02x", table);
      text_ << name << ' ' << in[0] << ' ' << in[1] << ' ' << in[2] << ' ' << hex << '\n';
      return;
    }
    if (table == 0b0010) {
      std::swap(in[0], in[1]);
      table = 0b0100;
    }
    const auto* operation =
        std::find_if(std::begin(operations), std::end(operations), [&](const auto& each) { return each.table == table; });
    if (operation == std::end(operations)) throw std::logic_error("a gate that ignores an input");
    text_ << name << ' ' << operation->name << ' ' << in[0] << ' ' << in[1] << '\n';
  }

  std::ostream& out_;
  const Netlist& netlist_;
  std::vector<std::string> names_;
  std::ostringstream text_;
  std::size_t num_nots_ = 0;
};

}  // namespace

Netlist read_netlist(std::istream& in, const std::vector<std::string>& input_names, int gate_inputs) {
  return NetlistReader(input_names, gate_inputs).read(in);
}

void write_netlist(std::ostream& out, const Netlist& netlist) { NetlistWriter(out, netlist).write(); }

}  // namespace circuits
