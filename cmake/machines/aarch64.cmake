# 64-bit Arm: its instruction sets, the slowest first, and what signs return addresses and marks where an indirect call may land (PAC, BTI).
set(PHALANX_INSTRUCTION_SETS scalar)
set(PHALANX_MACHINE_HARDENING -mbranch-protection=standard)

set(PHALANX_FLAGS_scalar "")
