// Recorded instructions of NEON beside those of the machine, on random numbers.
#include "neon/instruction_agreement.hpp"
#include "neon/neon_samples.hpp"

namespace prove {

NeonCheck recorded_neon_is_real() {
  NeonCheck check{true, 0};
  check.agree = instructions_agree<16>(sample_neon, machine_neon, check.num_compared);
  return check;
}

}  // namespace prove
