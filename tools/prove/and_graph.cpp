#include "and_graph.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace prove {
namespace {

std::size_t hash_of(Literal left, Literal right) {
  return (left * std::uint64_t{0x9e3779b97f4a7c15} ^ (right * std::uint64_t{0xc2b2ae3d27d4eb4f})) >> 20;
}

// AIGER's numbers: seven bits a byte, the lowest first, the top bit saying that more follow.
void put_number(std::string& to, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(0x80 | (number & 0x7f));
  to += static_cast<char>(number);
}

}  // namespace

AndGraph& graph() {
  static AndGraph the_graph;
  return the_graph;
}

Literal AndGraph::input() {
  inputs_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back({});
  return 2 * inputs_.back();
}

Signals AndGraph::inputs(std::size_t count) {
  Signals signals(count);
  for (Literal& signal : signals) signal = input();
  return signals;
}

Literal AndGraph::and_of(Literal a, Literal b) {
  if (a > b) std::swap(a, b);
  if (a == zero || a == not_of(b)) return zero;
  if (a == one || a == b) return b;
  if (2 * num_gates_ > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash_of(a, b) & mask;; i = (i + 1) & mask) {
    const std::uint32_t node = slots_[i];
    if (node == 0) {
      slots_[i] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({a, b});
      ++num_gates_;
      return 2 * slots_[i];
    }
    if (nodes_[node].left == a && nodes_[node].right == b) return 2 * node;
  }
}

void AndGraph::grow() {
  std::vector<std::uint32_t> slots(2 * slots_.size());
  const std::size_t mask = slots.size() - 1;
  for (const std::uint32_t node : slots_) {
    if (node == 0) continue;
    std::size_t i = hash_of(nodes_[node].left, nodes_[node].right) & mask;
    while (slots[i] != 0) i = (i + 1) & mask;
    slots[i] = node;
  }
  slots_ = std::move(slots);
}

Literal AndGraph::xor_of(Literal a, Literal b) {
  const Literal sign = (a ^ b) & 1;
  a &= ~Literal{1};
  b &= ~Literal{1};
  if (const std::optional<Literal> shorter = cancel_input(a, b)) return sign ^ *shorter;
  if (const std::optional<Literal> shorter = cancel_input(b, a)) return sign ^ *shorter;
  // Bits change places by x ^ (x ^ y): without this, a transpose would be gates and not wires.
  for (const auto& [x, sum] : {std::pair(a, b), std::pair(b, a)}) {
    const auto [p, q] = operands_of_xor(sum);
    if (p == x && q != zero) return sign ^ q;
    if (q == x && q != zero) return sign ^ p;
  }
  return sign ^ and_of(not_of(and_of(a, b)), not_of(and_of(not_of(a), not_of(b))));
}

std::optional<Literal> AndGraph::cancel_input(Literal sum, Literal addend) {
  const auto [p, q] = operands_of_xor(addend);
  for (const auto& [input, rest] : {std::pair(addend, zero), std::pair(p, q), std::pair(q, p)}) {
    if (input % 2 != 0 || !is_input(input)) continue;
    if (const std::optional<Literal> shorter = without_input(sum, input, 3)) return xor_of(*shorter, rest);
  }
  return std::nullopt;
}

std::optional<Literal> AndGraph::without_input(Literal sum, Literal input, unsigned depth) {
  const Literal sign = sum & 1;
  if (sum == (input | sign)) return sign;
  const auto [p, q] = operands_of_xor(sum);
  if (depth == 0 || q == zero) return std::nullopt;
  if (const std::optional<Literal> shorter = without_input(p, input, depth - 1)) return sign ^ xor_of(*shorter, q);
  if (const std::optional<Literal> shorter = without_input(q, input, depth - 1)) return sign ^ xor_of(p, *shorter);
  return std::nullopt;
}

std::pair<Literal, Literal> AndGraph::operands_of_xor(Literal a) const {
  const auto [neither, both] = nodes_[a / 2];
  if ((neither & both & 1) == 0) return {zero, zero};
  const Node first = nodes_[neither / 2];
  const Node second = nodes_[both / 2];
  const bool is_xor = first.left == not_of(second.left) && first.right == not_of(second.right) && first.right != zero;
  if (!is_xor) return {zero, zero};
  return first.left % 2 == 0 ? std::pair(first.left, first.right) : std::pair(second.left, second.right);
}

AndGraph::Gate AndGraph::gate(Literal a) const {
  const Node node = nodes_[a / 2];
  if (node.right == 0) return {Gate::Kind::input};
  const auto [p, q] = operands_of_xor(a);
  return q != zero ? Gate{Gate::Kind::sum, p, q} : Gate{Gate::Kind::product, node.left, node.right};
}

Literal AndGraph::choose(Literal which, Literal if_one, Literal if_zero) {
  if (if_one == if_zero) return if_one;
  if (if_one == not_of(if_zero)) return xor_of(which, if_zero);
  return or_of(and_of(which, if_one), and_of(not_of(which), if_zero));
}

std::vector<bool> AndGraph::needed_by(const Signals& outputs) const {
  std::vector<bool> needed(nodes_.size());
  for (const Literal output : outputs) needed[output / 2] = true;
  for (std::size_t node = nodes_.size(); node-- != 1;) {  // operands come before their gates
    if (!needed[node]) continue;
    needed[nodes_[node].left / 2] = true;
    needed[nodes_[node].right / 2] = true;
  }
  return needed;
}

Signals AndGraph::with_inputs(const Signals& outputs, const Signals& from, const Signals& to) {
  const std::vector<bool> needed = needed_by(outputs);
  Signals image(nodes_.size());
  for (const std::uint32_t node : inputs_) image[node] = 2 * node;
  for (std::size_t i = 0; i < from.size(); ++i) image[from[i] / 2] = to[i] ^ (from[i] & 1);
  const auto image_of = [&image](Literal a) { return image[a / 2] ^ (a & 1); };
  for (std::size_t node = 1; node < needed.size(); ++node) {
    const Node gate = nodes_[node];  // a copy: the graph grows
    if (needed[node] && gate.right != 0) image[node] = and_of(image_of(gate.left), image_of(gate.right));
  }
  Signals replaced;
  for (const Literal output : outputs) replaced.push_back(image_of(output));
  return replaced;
}

std::vector<std::uint64_t> AndGraph::evaluate(const Signals& outputs, const std::vector<std::uint64_t>& values) const {
  std::vector<std::uint64_t> value(nodes_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) value[inputs_[i]] = values.at(i);
  const auto value_of = [&value](Literal a) { return value[a / 2] ^ (0 - std::uint64_t{a & 1}); };
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    const Node gate = nodes_[node];
    if (gate.right != 0) value[node] = value_of(gate.left) & value_of(gate.right);
  }
  std::vector<std::uint64_t> results;
  for (const Literal output : outputs) results.push_back(value_of(output));
  return results;
}

Signals AndGraph::inputs_of(const Signals& outputs) const {
  const std::vector<bool> needed = needed_by(outputs);
  Signals inputs;
  for (const std::uint32_t node : inputs_) {
    if (needed[node]) inputs.push_back(2 * node);
  }
  return inputs;
}

std::size_t AndGraph::write(const std::string& path, const Signals& inputs, const Signals& outputs) const {
  const std::vector<bool> needed = needed_by(outputs);
  Signals number(nodes_.size());
  std::uint32_t last = 0;
  for (const Literal input : inputs) number[input / 2] = 2 * ++last;
  const auto number_of = [&number](Literal a) { return number[a / 2] ^ (a & 1); };
  std::string gates;
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    if (!needed[node] || nodes_[node].right == 0) continue;
    number[node] = 2 * ++last;
    auto [small, large] = std::minmax({number_of(nodes_[node].left), number_of(nodes_[node].right)});
    put_number(gates, number[node] - large);
    put_number(gates, large - small);
  }
  const std::size_t num_gates = last - inputs.size();
  std::ofstream file(path, std::ios::binary);
  file << "aig " << last << ' ' << inputs.size() << " 0 " << outputs.size() << ' ' << num_gates << '\n';
  for (const Literal output : outputs) file << number_of(output) << '\n';
  file << gates;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
  return num_gates;
}

}  // namespace prove
