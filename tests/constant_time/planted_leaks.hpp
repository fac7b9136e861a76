// Leaks as they could be in the code around kernels: memcheck must report each.
#pragma once

#include <phalanx/catalog.hpp>
#include <string>

namespace phalanx::test {

/// "table", "branch", "early_exit" or "copy"; false if the name is none. Whatever the bytes are, it does not fail.
bool run_planted_leak(const std::string& name, Bytes secret);

}  // namespace phalanx::test
