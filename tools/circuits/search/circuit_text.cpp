#include "circuit_text.hpp"

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace circuits {
namespace {

constexpr struct {
  const char* name;
  unsigned table;
} operations[] = {{"and", 0b1000}, {"or", 0b1110}, {"xor", 0b0110}, {"andnot", 0b0100}};

// A gate's table when some of its inputs (bit arity - 1 the first) are complemented.
unsigned with_inputs_complemented(unsigned table, int arity, unsigned flips) {
  unsigned result = 0;
  for (unsigned i = 0; i < 1U << arity; ++i) result |= (table >> (i ^ flips) & 1U) << i;
  return result;
}

// The value of every signal at input 0 if every gate gives 0 for 0, 0; true if the outputs are as wanted.
bool values_at_0(const Circuit<2>& circuit, const Complements& complements, bool* value) {
  const auto read = [&](int signal, int gate) {
    bool x = value[signal];
    for (const auto& n : complements.nots) x ^= n.signal == signal && has(n.readers, gate);
    return x;
  };
  for (int i = 0; i < circuit.num_signals; ++i) value[i] = false;
  for (int i = circuit.box->num_inputs; i < circuit.num_signals; ++i) {
    const Gate<2>& gate = circuit.gate[i];
    value[i] = gate.table >> (read(gate.in[0], i) << 1 | read(gate.in[1], i)) & 1;
  }
  for (int i = 0; i < circuit.box->num_outputs; ++i) {
    const int signal = circuit.output[i];
    bool x = value[signal];
    for (const auto& n : complements.nots) x ^= n.signal == signal && (n.output_readers >> i & 1);
    if (x != circuit.box->complemented[i]) return false;
  }
  return true;
}

// Every way to let some readers of some signal read its complement.
std::vector<Complements::Not> single_complements(const Circuit<2>& circuit) {
  std::vector<Complements::Not> all;
  for (int signal = 0; signal < circuit.num_signals; ++signal) {
    std::vector<int> readers;  // outputs as -1, -2, ...
    for (int i = circuit.box->num_inputs; i < circuit.num_signals; ++i) {
      if (circuit.gate[i].in[0] == signal || circuit.gate[i].in[1] == signal) readers.push_back(i);
    }
    for (int i = 0; i < circuit.box->num_outputs; ++i) {
      if (circuit.output[i] == signal) readers.push_back(-1 - i);
    }
    const unsigned num_readers = static_cast<unsigned>(readers.size());
    for (unsigned subset = 1; num_readers <= 7 && subset < 1U << num_readers; ++subset) {
      Complements::Not n{signal, 0, 0};
      for (unsigned r = 0; r < num_readers; ++r) {
        if (!(subset >> r & 1)) continue;
        if (readers[r] >= 0) n.readers |= only(readers[r]);
        if (readers[r] < 0) n.output_readers |= 1U << (-1 - readers[r]);
      }
      all.push_back(n);
    }
  }
  return all;
}

}  // namespace

template <>
Complements place_complements(const Circuit<3>&) {
  return {};
}

template <>
Complements place_complements(const Circuit<2>& circuit) {
  bool value[max_signals];
  Complements complements;
  if (values_at_0(circuit, complements, value)) return complements;
  const auto singles = single_complements(circuit);
  complements.nots.resize(1);
  for (const auto& n : singles) {
    complements.nots[0] = n;
    if (values_at_0(circuit, complements, value)) return complements;
  }
  complements.nots.resize(2);
  for (const auto& n : singles) {
    complements.nots[0] = n;
    for (const auto& other : singles) {
      complements.nots[1] = other;
      if (other.signal > n.signal && values_at_0(circuit, complements, value)) return complements;
    }
  }
  complements.nots.clear();  // one behind each output
  for (int i = 0; i < circuit.box->num_outputs; ++i) {
    if (circuit.box->complemented[i]) complements.nots.push_back({circuit.output[i], 0, 1U << i});
  }
  return complements;
}

namespace {

class Writer {
 public:
  template <int arity>
  Writer(std::ostream& out, const Circuit<arity>& circuit) : out_(out), name_(max_signals), complement_(max_signals) {
    for (int i = 0; i < circuit.box->num_inputs; ++i) name_[i] = circuit.box->input_names[i];
  }

  void write(const Circuit<3>& circuit) {
    bool flipped[max_signals] = {};
    for (int i = 0; i < circuit.box->num_outputs; ++i) {
      if (circuit.box->complemented[i]) flipped[circuit.output[i]] = true;
    }
    for (int i = circuit.box->num_inputs; i < circuit.num_signals; ++i) {
      const Gate<3>& gate = circuit.gate[i];
      const unsigned flips =
          flipped[gate.in[0]] << 2 | flipped[gate.in[1]] << 1 | static_cast<unsigned>(flipped[gate.in[2]]);
      const unsigned table = with_inputs_complemented(gate.table, 3, flips) ^ (flipped[i] ? 0xffU : 0);
      char hex[3];
      std::snprintf(hex, sizeof hex, "%02x", table);
      name_[i] = next_name();
      out_ << name_[i] << ' ' << name_[gate.in[0]] << ' ' << name_[gate.in[1]] << ' ' << name_[gate.in[2]] << ' ' << hex
           << '\n';
    }
    write_outputs(*circuit.box, [&](int i) { return name_[circuit.output[i]]; });
  }

  void write(const Circuit<2>& circuit) {
    const Complements complements = place_complements(circuit);
    bool value[max_signals];
    values_at_0(circuit, complements, value);
    for (int i = 0; i < circuit.box->num_inputs; ++i) write_not(complements, i);
    for (int i = circuit.box->num_inputs; i < circuit.num_signals; ++i) {
      write_gate(circuit.gate[i], i, complements, value);
      write_not(complements, i);
    }
    write_outputs(*circuit.box, [&](int i) {
      for (const auto& n : complements.nots) {
        if (n.signal == circuit.output[i] && (n.output_readers >> i & 1)) return complement_[n.signal];
      }
      return name_[circuit.output[i]];
    });
  }

 private:
  std::string next_name() { return std::string("t").append(std::to_string(next_++)); }

  void write_not(const Complements& complements, int signal) {
    for (const auto& n : complements.nots) {
      if (n.signal != signal) continue;
      complement_[signal] = next_name();
      out_ << complement_[signal] << " not " << name_[signal] << '\n';
    }
  }

  void write_gate(const Gate<2>& gate, int signal, const Complements& complements, const bool* value) {
    std::string in[2];
    unsigned flips = 0;
    for (int k = 0; k < 2; ++k) {
      bool complemented = false;
      for (const auto& n : complements.nots) complemented |= n.signal == gate.in[k] && has(n.readers, signal);
      in[k] = complemented ? complement_[gate.in[k]] : name_[gate.in[k]];
      flips |= static_cast<unsigned>(value[gate.in[k]] ^ complemented) << (1 - k);
    }
    unsigned table = with_inputs_complemented(gate.table, 2, flips);
    if (table & 1) table ^= 15;
    if (table == 0b0010) {  // second and not first
      std::swap(in[0], in[1]);
      table = 0b0100;
    }
    name_[signal] = next_name();
    for (const auto& operation : operations) {
      if (operation.table != table) continue;
      out_ << name_[signal] << ' ' << operation.name << ' ' << in[0] << ' ' << in[1] << '\n';
      return;
    }
    throw std::logic_error("a gate that ignores an input");
  }

  template <class NameOf>
  void write_outputs(const Box& box, NameOf name_of) {
    out_ << box.output_names.front() << ".." << box.output_names.back();
    for (int i = 0; i < box.num_outputs; ++i) out_ << ' ' << name_of(i);
    out_ << "\n\n";
  }

  std::ostream& out_;
  std::vector<std::string> name_;
  std::vector<std::string> complement_;
  int next_ = 0;
};

// Reads one circuit line by line.
template <int arity>
class Reader {
 public:
  explicit Reader(const Box& box) : circuit_(box) {
    for (int i = 0; i < box.num_inputs; ++i) place_[box.input_names[i]] = {i, false};
  }

  void read_gate(const std::vector<std::string>& words) {
    if (words[1] == "not") {
      const auto [signal, complemented] = place_.at(words[2]);
      place_[words[0]] = {signal, !complemented};
      return;
    }
    Gate<arity> gate;
    unsigned flips = 0;
    const std::size_t first = arity == 3 ? 1 : 2;
    for (int k = 0; k < arity; ++k) {
      const auto [signal, complemented] = place_.at(words.at(first + k));
      gate.in[k] = static_cast<std::uint8_t>(signal);
      flips |= static_cast<unsigned>(complemented) << (arity - 1 - k);
    }
    const unsigned table = with_inputs_complemented(table_of(words), arity, flips);
    gate.table = static_cast<std::uint8_t>(table);
    place_[words[0]] = {circuit_.add(gate), table & 1};
  }

  Circuit<arity> finish(const std::vector<std::string>& words) {
    const Box& box = *circuit_.box;
    for (int i = 0; i < box.num_outputs; ++i) {
      const auto [signal, complemented] = place_.at(words.at(1 + i));
      circuit_.output[i] = static_cast<std::uint8_t>(signal);
      if (complemented != box.complemented[i]) throw std::runtime_error(box.name + ": a wrong output");
    }
    circuit_.wanted = box.all_outputs();
    if (!circuit_.is_right()) throw std::runtime_error(box.name + ": a wrong circuit");
    return circuit_;
  }

 private:
  static unsigned table_of(const std::vector<std::string>& words) {
    if (arity == 3) return static_cast<unsigned>(std::stoul(words.at(4), nullptr, 16));
    for (const auto& operation : operations) {
      if (words[1] == operation.name) return operation.table;
    }
    throw std::runtime_error("unknown operation '" + words[1] + "'");
  }

  Circuit<arity> circuit_;
  std::map<std::string, std::pair<int, bool>> place_;
};

}  // namespace

template <int arity>
void write_circuit(std::ostream& out, const Circuit<arity>& circuit) {
  out << circuit.box->name << ' ' << num_operations(circuit) << '\n';
  Writer(out, circuit).write(circuit);
}

template <int arity>
std::multimap<std::string, Circuit<arity>> read_circuits(std::istream& in, const std::vector<Box>& boxes) {
  std::multimap<std::string, Circuit<arity>> circuits;
  const Box* box = nullptr;
  std::vector<Reader<arity>> reader;
  for (std::string text; std::getline(in, text);) {
    std::istringstream line(text);
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#') continue;
    if (words[0].find("..") != std::string::npos) {
      if (box != nullptr) circuits.emplace(box->name, reader[0].finish(words));
    } else if (words.size() == 2) {
      box = nullptr;
      reader.clear();
      for (const Box& candidate : boxes) {
        if (candidate.name != words[0]) continue;
        box = &candidate;
        reader.emplace_back(candidate);
      }
    } else if (box != nullptr) {
      reader[0].read_gate(words);
    }
  }
  return circuits;
}

template void write_circuit(std::ostream&, const Circuit<2>&);
template void write_circuit(std::ostream&, const Circuit<3>&);
template std::multimap<std::string, Circuit<2>> read_circuits(std::istream&, const std::vector<Box>&);
template std::multimap<std::string, Circuit<3>> read_circuits(std::istream&, const std::vector<Box>&);

}  // namespace circuits
