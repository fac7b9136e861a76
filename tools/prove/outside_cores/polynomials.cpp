#include "outside_cores/polynomials.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <iterator>
#include <stdexcept>
#include <unordered_map>

namespace prove {
namespace {

constexpr std::size_t num_together = 128;  // outputs
using Outputs = std::bitset<num_together>;

// A sum of inputs; input 0, which there is none, stands for 1.
using Sum = std::vector<std::uint32_t>;

Sum plus(const Sum& a, const Sum& b) {
  Sum sum;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(sum));
  return sum;
}

class Comparison {
 public:
  // Finds in which of the outputs each product stands, from the outputs to the inputs: `outputs_of_[node]` are those in
  // whose sum the node is left over.
  PolynomialDifference compare(const Signals& implementation, const Signals& specification, std::size_t first,
                               std::size_t end) {
    outputs_of_.assign(graph().num_nodes(), {});
    left_over_.clear();
    for (std::size_t i = first; i < end; ++i) {
      Outputs output;
      output[i - first] = true;
      add(implementation[i], output);
      add(specification[i], output);
    }
    for (std::size_t node = outputs_of_.size(); node-- != 1;) {
      if (outputs_of_[node].any()) resolve(static_cast<std::uint32_t>(node), outputs_of_[node]);
    }
    PolynomialDifference difference;
    Outputs differ = outputs_of_[0];
    for (const auto& [product, outputs] : left_over_) differ |= outputs;
    difference.num_outputs = differ.count();
    difference.num_products = left_over_.size();
    return difference;
  }

 private:
  void add(Literal a, const Outputs& outputs) {
    outputs_of_[a / 2] ^= outputs;
    if ((a & 1) != 0) outputs_of_[0] ^= outputs;
  }
  void resolve(std::uint32_t node, const Outputs& outputs) {
    const AndGraph::Gate gate = graph().gate(2 * node);
    if (gate.kind == AndGraph::Gate::Kind::sum) {
      add(gate.left, outputs);
      add(gate.right, outputs);
    } else if (gate.kind == AndGraph::Gate::Kind::input) {
      left_over_[node] ^= outputs;
    } else {
      for (const std::uint32_t a : sum_of(gate.left)) {
        for (const std::uint32_t b : sum_of(gate.right)) put(a, b, outputs);
      }
    }
  }
  void put(std::uint32_t a, std::uint32_t b, const Outputs& outputs) {
    if (a > b) std::swap(a, b);
    if (a == b) a = 0;  // x x = x
    if (b == 0) {
      outputs_of_[0] ^= outputs;
    } else {
      left_over_[std::uint64_t{a} << 32 | b] ^= outputs;
    }
  }
  Sum sum_of(Literal a) {
    const Sum sign = (a & 1) != 0 ? Sum{0} : Sum{};
    const std::uint32_t node = a / 2;
    if (node == 0) return sign;
    if (const auto found = sums_.find(node); found != sums_.end()) return plus(found->second, sign);
    const AndGraph::Gate gate = graph().gate(2 * node);
    if (gate.kind == AndGraph::Gate::Kind::product)
      throw std::runtime_error("a product has a factor that is no sum of inputs");
    const Sum sum = gate.kind == AndGraph::Gate::Kind::input ? Sum{node} : plus(sum_of(gate.left), sum_of(gate.right));
    sums_[node] = sum;
    return plus(sum, sign);
  }

  std::vector<Outputs> outputs_of_;
  std::unordered_map<std::uint64_t, Outputs> left_over_;  // two inputs, or 0 and one
  std::unordered_map<std::uint32_t, Sum> sums_;
};

}  // namespace

PolynomialDifference compare_polynomials(const Signals& implementation, const Signals& specification) {
  if (implementation.size() != specification.size()) throw std::logic_error("not as many outputs as are specified");
  Comparison comparison;
  PolynomialDifference all;
  for (std::size_t first = 0; first < implementation.size(); first += num_together) {
    const std::size_t end = std::min(first + num_together, implementation.size());
    const PolynomialDifference some = comparison.compare(implementation, specification, first, end);
    all.num_outputs += some.num_outputs;
    all.num_products += some.num_products;
  }
  return all;
}

Signals multiply_where_carries_stay(const Signals& a, const Signals& b) {
  Signals product(a.size(), zero);
  std::size_t free_from = 0;  // no carry reaches this bit
  for (std::size_t k = 0; k < a.size(); ++k) {
    Literal sum = zero;
    std::size_t num_ones = 0;  // at most
    for (std::size_t i = 0; i <= k; ++i) {
      const Literal both = graph().and_of(a[i], b[k - i]);
      if (both != zero) ++num_ones;
      sum = graph().xor_of(sum, both);
    }
    if (num_ones == 0) {
      if (k < free_from) product[k] = graph().input();
      continue;
    }
    if (k < free_from) throw std::logic_error("a product of unknown numbers carries into a bit");
    product[k] = sum;
    free_from = k + static_cast<std::size_t>(std::bit_width(num_ones));
  }
  return product;
}

}  // namespace prove
