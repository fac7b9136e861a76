# Which machine is built for: PHALANX_MACHINE is x86_64 or aarch64, or portable, which has the scalar kernels alone. What only one machine
# has stands in its file of cmake/machines/, and in sources whose names end as it is called.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(PHALANX_MACHINE x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(PHALANX_MACHINE aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(ppc64le|riscv64|s390x)$")
  set(PHALANX_MACHINE portable)
else()
  set(PHALANX_MACHINE "")
endif()
if(NOT PHALANX_MACHINE OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR "Phalanx is written for x86-64 and 64-bit Arm (aarch64), and compiles for ppc64le, riscv64 and s390x; the target here is \
${CMAKE_SYSTEM_PROCESSOR}, where nobody has tested it")
endif()
include(cmake/machines/${PHALANX_MACHINE}.cmake)
