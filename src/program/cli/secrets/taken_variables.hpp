// Secrets in variables of the environment, taken out of it before a child of this process, or who reads /proc, has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

using TakenVariable = std::shared_ptr<const SecretBytes>;

/// The value of the variable, whose bytes in the environment are overwritten, and which is removed from it. Whoever asks
/// again gets the same while somebody holds it. Nothing where it is not set. Not while another thread reads the environment.
[[nodiscard]] TakenVariable take_variable(const std::string& name);

/// The values of all variables that arguments of the form `--*-env NAME` and `--*-env=NAME` name: taken before those are
/// parsed, by a process that starts something earlier, or never parses them.
[[nodiscard]] std::vector<TakenVariable> take_named_variables(std::span<char* const> arguments);

}  // namespace phalanx
