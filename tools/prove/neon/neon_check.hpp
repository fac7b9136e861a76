// A test of recorded_neon.hpp: tests/prove/recorded_neon_test.cpp.
#pragma once

namespace prove {

/// By the machine, or by qemu-user: instruction `number` of neon_samples.hpp on 16 bytes each. False if there are fewer.
bool machine_neon(unsigned number, const void* a, const void* b, void* result);

/// How many instructions were compared with the machine's on random numbers, up to the first that differs.
struct NeonCheck {
  bool agree;
  unsigned num_compared;
};
NeonCheck recorded_neon_is_real();

}  // namespace prove
