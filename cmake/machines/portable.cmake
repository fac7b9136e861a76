# Any other machine: the scalar kernels, and no marks of its own.
set(PHALANX_INSTRUCTION_SETS scalar)
set(PHALANX_MACHINE_HARDENING "")

set(PHALANX_FLAGS_scalar "")
