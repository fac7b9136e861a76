// This says which processor the program runs on.
#pragma once

#include <string>

namespace phalanx {

/// Returns model name, family and model number of the first processor, as Linux has them: "AMD EPYC, family 25 model 1".
[[nodiscard]] std::string processor_name();

}  // namespace phalanx
