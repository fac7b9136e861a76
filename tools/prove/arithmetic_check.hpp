// A test of recorded_integer.hpp.
#pragma once

namespace prove {

/// Whether recorded integers compute what those of the machine compute, on random numbers.
bool recorded_arithmetic_is_real();

}  // namespace prove
