// This takes secrets out of variables of the environment, before a child of this process, or a reader of /proc, has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

using TakenVariable = std::shared_ptr<const SecretBytes>;

/// Returns the value of the variable, overwrites its bytes in the environment, and removes it there. A caller that asks
/// again gets the same value while somebody holds it. Returns nothing where the variable is not set. No other thread may
/// read the environment meanwhile.
[[nodiscard]] TakenVariable take_variable(const std::string& name);

/// Returns the values of all variables that arguments of the form `--*-env NAME` and `--*-env=NAME` name. They are taken
/// before the arguments are parsed, by a process that starts something earlier, or never parses them.
[[nodiscard]] std::vector<TakenVariable> take_named_variables(std::span<char* const> arguments);

}  // namespace phalanx
