// Circuits compared as polynomials over GF(2): for sums of products of two sums of inputs, whose circuits no two authors
// write alike, and which decision procedures for circuits therefore do not decide.
#pragma once

#include "and_graph.hpp"

namespace prove {

struct PolynomialDifference {
  std::size_t num_outputs = 0;   ///< that differ
  std::size_t num_products = 0;  ///< products of two inputs that were met
};

/// Multiplies out implementation[i] + specification[i] for every i; the two are equal where nothing is left. Fails where a
/// product has a factor that is no sum of inputs.
PolynomialDifference compare_polynomials(const Signals& implementation, const Signals& specification);

/// The low bits of the product of two numbers that are unknown, in which the ones that meet in a bit are so few that what
/// they carry reaches no other: there, each such bit is the sum of its products without carries. The bits after it, which
/// hold the carries, become new inputs: a result that depended on them would be no function of its inputs, and equal to no
/// specification. Fails where carries reach a bit.
Signals multiply_where_carries_stay(const Signals& a, const Signals& b);

}  // namespace prove
