#include "circuit.hpp"

#include <cstring>

namespace circuits {
namespace {

// Copies the gates that the outputs need, inputs first.
template <int arity>
class Copy {
 public:
  Copy(const Circuit<arity>& from, const std::uint8_t* substitute, Circuit<arity>& to)
      : from_(from), substitute_(substitute), to_(to) {
    to_ = Circuit<arity>(*from.box);
    to_.wanted = from.wanted;
    for (int i = 0; i < from.box->num_inputs; ++i) {
      place_[i] = static_cast<std::uint8_t>(i);
      state_[i] = done;
    }
  }

  bool copy_outputs() {
    for (int i = 0; i < from_.box->num_outputs; ++i) {
      if (!(from_.wanted >> i & 1)) continue;
      const int signal = substitute_[from_.output[i]];
      if (!copy(signal)) return false;
      to_.output[i] = place_[signal];
    }
    return to_.is_right();
  }

 private:
  enum State : std::uint8_t { unseen, open, done };

  bool copy(int signal) {
    if (state_[signal] == done) return true;
    if (state_[signal] == open) return false;  // a cycle
    state_[signal] = open;
    Gate<arity> gate = from_.gate[signal];
    unsigned flips = 0;
    for (int k = 0; k < arity; ++k) {
      const int in = substitute_[gate.in[k]];
      if (!copy(in)) return false;
      gate.in[k] = place_[in];
      if (complemented_[in]) flips |= 1U << (arity - 1 - k);
    }
    unsigned table = 0;
    for (unsigned i = 0; i < 1U << arity; ++i) table |= (gate.table >> (i ^ flips) & 1U) << i;
    complemented_[signal] = table & 1;
    gate.table = static_cast<std::uint8_t>(table);
    place_[signal] = static_cast<std::uint8_t>(place(gate));
    state_[signal] = done;
    return true;
  }

  // The signal that the gate computes, a new one only if there is none yet.
  int place(const Gate<arity>& gate) {
    const int added = to_.add(gate);
    for (int i = 0; i < added; ++i) {
      if (to_.value[i] == to_.value[added]) {
        --to_.num_signals;
        return i;
      }
    }
    return added;
  }

  const Circuit<arity>& from_;
  const std::uint8_t* substitute_;
  Circuit<arity>& to_;
  std::uint8_t place_[max_signals] = {};
  bool complemented_[max_signals] = {};
  State state_[max_signals] = {};
};

// Two gates may have turned out equal and left what only one of them used.
template <int arity>
void drop_unused(Circuit<arity>& circuit) {
  const int num_inputs = circuit.box->num_inputs;
  bool used[max_signals] = {};
  bool any_unused = false;
  for (int i = 0; i < circuit.box->num_outputs; ++i) {
    if (circuit.wanted >> i & 1) used[circuit.output[i]] = true;
  }
  for (int i = circuit.num_signals - 1; i >= num_inputs; --i) {
    if (!used[i]) any_unused = true;
    for (int k = 0; used[i] && k < arity; ++k) used[circuit.gate[i].in[k]] = true;
  }
  if (!any_unused) return;
  Circuit<arity> kept(*circuit.box);
  kept.wanted = circuit.wanted;
  std::uint8_t place[max_signals] = {};
  for (int i = 0; i < num_inputs; ++i) place[i] = static_cast<std::uint8_t>(i);
  for (int i = num_inputs; i < circuit.num_signals; ++i) {
    if (!used[i]) continue;
    Gate<arity> gate = circuit.gate[i];
    for (auto& in : gate.in) in = place[in];
    place[i] = static_cast<std::uint8_t>(kept.add(gate));
  }
  for (int i = 0; i < circuit.box->num_outputs; ++i) kept.output[i] = place[circuit.output[i]];
  circuit = kept;
}

// The positions at which the wanted outputs differ, given other values of some signals before `first`.
template <int arity>
Table difference(const Circuit<arity>& circuit, Signals changed, int first, Table* values) {
  for (int i = first; i < circuit.num_signals; ++i) {
    if (has(changed, i)) values[i] = circuit.value_of(circuit.gate[i], values);
  }
  Table differs = 0;
  for (int i = 0; i < circuit.box->num_outputs; ++i) {
    if (circuit.wanted >> i & 1) differs |= values[circuit.output[i]] ^ circuit.value[circuit.output[i]];
  }
  return differs & circuit.box->all;
}

}  // namespace

template <int arity>
bool rebuild(const Circuit<arity>& from, const std::uint8_t* substitute, Circuit<arity>& to) {
  if (!Copy<arity>(from, substitute, to).copy_outputs()) return false;
  drop_unused(to);
  return true;
}

template <int arity>
Dependence<arity>::Dependence(const Circuit<arity>& circuit) : num_uses{} {
  for (int i = 0; i < circuit.num_signals; ++i) {
    above[i] = only(i);
    below[i] = only(i);
    if (circuit.is_input(i)) continue;
    Signals read = 0;
    for (const int in : circuit.gate[i].in) {
      above[i] |= above[in];
      if (!has(read, in)) ++num_uses[in];
      read |= only(in);
    }
    for (Signals rest = above[i] & ~only(i); rest != 0; rest &= rest - 1) below[__builtin_ctzll(rest)] |= only(i);
  }
  for (int i = 0; i < circuit.box->num_outputs; ++i) {
    if (circuit.wanted >> i & 1) ++num_uses[circuit.output[i]];
  }
}

template <int arity>
Table care_of(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int signal) {
  Table values[max_signals];
  std::memcpy(values, circuit.value, sizeof(Table) * static_cast<std::size_t>(circuit.num_signals));
  values[signal] = ~values[signal] & circuit.box->all;
  return difference(circuit, dependence.below[signal] & ~only(signal), signal + 1, values);
}

template <int arity>
Table care_of_edge(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int gate, int place) {
  Table values[max_signals];
  std::memcpy(values, circuit.value, sizeof(Table) * static_cast<std::size_t>(circuit.num_signals));
  Gate<arity> changed = circuit.gate[gate];
  unsigned table = 0;
  for (unsigned i = 0; i < 1U << arity; ++i) table |= (changed.table >> (i ^ 1U << (arity - 1 - place)) & 1U) << i;
  changed.table = static_cast<std::uint8_t>(table);
  values[gate] = circuit.value_of(changed, circuit.value);
  return difference(circuit, dependence.below[gate] & ~only(gate), gate + 1, values);
}

template <int arity>
Signals cone_of(const Circuit<arity>& circuit, const Dependence<arity>& dependence, int signal) {
  int num_uses[max_signals];
  std::memcpy(num_uses, dependence.num_uses, sizeof num_uses);
  Signals cone = 0;
  Signals gone = only(signal);
  while (gone != 0) {
    const int top = 63 - __builtin_clzll(gone);
    gone &= ~only(top);
    Signals read = 0;
    for (const int in : circuit.gate[top].in) {
      if (circuit.is_input(in) || has(read, in)) continue;
      read |= only(in);
      if (--num_uses[in] == 0) {
        cone |= only(in);
        gone |= only(in);
      }
    }
  }
  return cone;
}

#define CIRCUITS_INSTANTIATE(arity)                                                       \
  template bool rebuild(const Circuit<arity>&, const std::uint8_t*, Circuit<arity>&);     \
  template struct Dependence<arity>;                                                      \
  template Table care_of(const Circuit<arity>&, const Dependence<arity>&, int);           \
  template Table care_of_edge(const Circuit<arity>&, const Dependence<arity>&, int, int); \
  template Signals cone_of(const Circuit<arity>&, const Dependence<arity>&, int);
CIRCUITS_INSTANTIATE(2)
CIRCUITS_INSTANTIATE(3)
#undef CIRCUITS_INSTANTIATE

}  // namespace circuits
