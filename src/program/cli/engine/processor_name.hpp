// This says which processor the program runs on.
#pragma once

#include <string>

namespace phalanx {

/// Returns model name, family and model number of the first processor, as Linux has them: "AMD EPYC, family 25 model 1".
/// Arm's processors have numbers alone: "Arm, implementer 0x41 part 0xd40 variant 0x1 revision 1".
[[nodiscard]] std::string processor_name();

}  // namespace phalanx
