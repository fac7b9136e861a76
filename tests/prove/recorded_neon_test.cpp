// What the proofs take NEON's instructions for, beside what the machine or qemu-user computes.
#include <gtest/gtest.h>

#include "neon/neon_check.hpp"

TEST(RecordedNeon, InstructionsAreTheMachines) {
  const prove::NeonCheck check = prove::recorded_neon_is_real();
  EXPECT_TRUE(check.agree) << "number " << check.num_compared << " of neon_samples.hpp differs";
  EXPECT_EQ(check.num_compared, 49U);
}
