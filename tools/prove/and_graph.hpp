// What recorded code computes, as a graph of AND gates and complements: what AIGER files hold and what ABC compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace prove {

/// A signal as AIGER numbers it: twice its node, plus 1 where it is complemented. Node 0 is constant.
using Literal = std::uint32_t;
inline constexpr Literal zero = 0;
inline constexpr Literal one = 1;
inline constexpr Literal not_of(Literal a) { return a ^ 1; }

/// Signals side by side; each user says what stands first.
using Signals = std::vector<Literal>;

/// One after another.
inline Signals joined(const std::vector<Signals>& parts) {
  Signals all;
  for (const Signals& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
inline void append(Signals& to, const Signals& more) { to.insert(to.end(), more.begin(), more.end()); }
inline Signals joined(Signals first, const Signals& second) {
  append(first, second);
  return first;
}

/// So many signals from one on.
inline Signals part(const Signals& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}
/// Element i of num_bits bits.
inline Signals element_of(const Signals& all, std::size_t num_bits, std::size_t i) {
  return part(all, i * num_bits, num_bits);
}

/// A growing graph. Equal gates are one gate, and gates of constants are none.
class AndGraph {
 public:
  AndGraph() : nodes_(1), slots_(1U << 16) {}

  Literal input();
  Signals inputs(std::size_t count);
  /// The input that was made as number `number`, from 0.
  [[nodiscard]] Literal input_made(std::size_t number) const { return 2 * inputs_.at(number); }
  Literal and_of(Literal a, Literal b);
  Literal xor_of(Literal a, Literal b);
  Literal or_of(Literal a, Literal b) { return not_of(and_of(not_of(a), not_of(b))); }
  Literal choose(Literal which, Literal if_one, Literal if_zero);

  /// `outputs` with each input from[i] replaced by to[i].
  Signals with_inputs(const Signals& outputs, const Signals& from, const Signals& to);
  /// The values of `outputs`, 64 experiments at once: values[i] holds those of the i-th input.
  [[nodiscard]] std::vector<std::uint64_t> evaluate(const Signals& outputs, const std::vector<std::uint64_t>& values) const;
  /// The inputs that `outputs` depend on, in the order of their making.
  [[nodiscard]] Signals inputs_of(const Signals& outputs) const;
  /// How a signal is made, its sign left out: `sum` is an XOR, however written.
  struct Gate {
    enum class Kind { input, sum, product } kind;
    Literal left = 0;
    Literal right = 0;
  };
  [[nodiscard]] Gate gate(Literal a) const;
  [[nodiscard]] std::size_t num_nodes() const { return nodes_.size(); }
  /// Writes what `outputs` need as a binary AIGER file with these inputs; returns its gates.
  std::size_t write(const std::string& path, const Signals& inputs, const Signals& outputs) const;

 private:
  struct Node {
    Literal left = 0;  ///< an input: both 0
    Literal right = 0;
  };
  [[nodiscard]] std::vector<bool> needed_by(const Signals& outputs) const;
  void grow();
  [[nodiscard]] bool is_input(Literal a) const { return a > one && nodes_[a / 2].right == 0; }
  /// sum ^ addend, if the addend is an input, or that and a rest, and the sum has the input too: folded keys, which are
  /// XORed away where they come a second time, then leave no gates.
  std::optional<Literal> cancel_input(Literal sum, Literal addend);
  /// sum ^ input, if the sum has it as a term so deep down.
  std::optional<Literal> without_input(Literal sum, Literal input, unsigned depth);
  /// p and q where a is p ^ q as xor_of writes it, else twice 0.
  [[nodiscard]] std::pair<Literal, Literal> operands_of_xor(Literal a) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> slots_;  ///< a hash table of gates, open addressing; 0 is empty
  std::size_t num_gates_ = 0;
};

/// The graph that this program records into.
AndGraph& graph();

}  // namespace prove
