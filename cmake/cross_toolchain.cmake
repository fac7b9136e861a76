# A toolchain file for CMake: Debian's cross compiler PHALANX_CROSS (aarch64-linux-gnu), with libraries of that machine out of the folder
# PHALANX_CROSS_ROOT, which tools/develop/unpack_foreign_root makes. What is built runs under qemu-user, with that folder's C library.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PHALANX_CROSS PHALANX_CROSS_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${PHALANX_CROSS}")
string(REPLACE powerpc64le ppc64le CMAKE_SYSTEM_PROCESSOR "${CMAKE_SYSTEM_PROCESSOR}")  # as uname says, and QEMU
set(emulator qemu-${CMAKE_SYSTEM_PROCESSOR})

set(CMAKE_C_COMPILER ${PHALANX_CROSS}-gcc)
set(CMAKE_CXX_COMPILER ${PHALANX_CROSS}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${PHALANX_CROSS})  # CMake does not find it out of every compiler
set(CMAKE_SYSROOT ${PHALANX_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${PHALANX_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${PHALANX_CROSS_ROOT}/usr/lib/${PHALANX_CROSS}/pkgconfig)  # what is installed here is of another machine

# The libraries of riscv64 are a later Debian's, whose libcrypto wants names of a later C library: those of the root have them, the compiler's own not.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL riscv64)
  set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
endif()

# That machine's loader finds its libraries by itself. By `-L FOLDER` QEMU would give that folder for / too.
file(GLOB loader ${PHALANX_CROSS_ROOT}/lib/${PHALANX_CROSS}/ld*.so.?)
set(libraries ${PHALANX_CROSS_ROOT}/usr/lib/${PHALANX_CROSS})
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -E OPENSSL_MODULES=${libraries}/ossl-modules
  ${loader} --library-path ${PHALANX_CROSS_ROOT}/lib/${PHALANX_CROSS}:${libraries})
