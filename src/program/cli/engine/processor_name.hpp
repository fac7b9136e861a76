// Which processor this is.
#pragma once

#include <string>

namespace phalanx {

/// Model name, family and model number of the first processor, as Linux has them: "AMD EPYC, family 25 model 1".
[[nodiscard]] std::string processor_name();

}  // namespace phalanx
