// GHASH as SP 800-38D has it, gate by gate. An element is 128 signals, the coefficient of x^0 first (section 6.3).
#pragma once

#include "and_graph.hpp"

namespace prove {

/// The element that a block is: x^0 is the most significant bit of its first byte.
Signals specified_element(const Signals& block);
/// V -> V x, as algorithm 1, step 3 has it.
Signals specified_times_x(const Signals& V);
/// X . Y, algorithm 1.
Signals specified_product(const Signals& X, const Signals& Y);
/// (Y + X1) H^n + X2 H^(n - 1) + ... + Xn H: algorithm 2 from Y on, multiplied out; H^(i + 1) is powers[i].
Signals specified_hash(const Signals& Y, const std::vector<Signals>& X, const std::vector<Signals>& powers);

/// Whether the product is what reference/ gives.
bool specified_ghash_is_the_reference();

}  // namespace prove
