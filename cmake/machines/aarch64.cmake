# 64-bit Arm: its instruction sets, the slowest first, and what signs return addresses and marks where an indirect call may land (PAC, BTI).
set(PHALANX_INSTRUCTION_SETS scalar neon neon_sha3)
set(PHALANX_MACHINE_HARDENING -mbranch-protection=standard)

set(PHALANX_FLAGS_scalar "")
set(PHALANX_FLAGS_neon -march=armv8-a+crypto)
set(PHALANX_FLAGS_neon_sha3 -march=armv8.2-a+crypto+sha3)
