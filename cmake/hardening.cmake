# What makes a mistake in the code around the kernels end the program, and not more: all that ships but the kernels parses data of
# others. tests/repository/check_hardening.py reads it from the objects and from the programs.
#
# Stack protector and stack clash protection: a write behind a local array aborts. _FORTIFY_SOURCE: so does a call of the C library that
# would write behind a buffer whose size the compiler knows; it needs optimisation, and disturbs the sanitizers' own checks.
# _GLIBCXX_ASSERTIONS: so does an index behind a vector, a span or a string. PHALANX_MACHINE_HARDENING of cmake/machines/: indirect calls and
# returns land where they may, on processors and systems that see to it. Immediate binding and RELRO: the tables of addresses are read-only before main.
set(PHALANX_HARDENING -fstack-protector-strong -fstack-clash-protection ${PHALANX_MACHINE_HARDENING} -D_GLIBCXX_ASSERTIONS)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND PHALANX_HARDENING -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()

# A kernel uses raw pointers into memory that its caller has measured, and what it leaves on the stack is wiped by count: nothing is to
# be put beside it. Of these, it keeps what marks its entry.
set(PHALANX_KERNEL_HARDENING -fno-stack-protector -fno-stack-clash-protection -U_FORTIFY_SOURCE -U_GLIBCXX_ASSERTIONS)

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# For the folder that calls it, and those below: after all that it finds there from outside, a package's own flags too.
macro(phalanx_harden)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${PHALANX_HARDENING}>")
endmacro()

function(phalanx_harden_link target)
  target_link_options(${target} PRIVATE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endfunction()
