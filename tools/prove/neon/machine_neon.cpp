// Compiled with the compiler's arm_neon.h, for a machine with AES and PMULL.
#include "neon/neon_samples.hpp"

namespace prove {

bool machine_neon(unsigned number, const void* a, const void* b, void* result) { return sample_neon(number, a, b, result); }

}  // namespace prove
