// Where and of what a result was made. No host name.
#pragma once

#include "bench/measuring/results.hpp"

namespace phalanx::bench {

/// Everything of Results but the measurements. `commit` may be empty.
[[nodiscard]] Results describe_machine(const std::string& commit);

}  // namespace phalanx::bench
