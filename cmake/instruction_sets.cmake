# Which instructions each kernel file may use. The -m flags of a machine stand in its file of cmake/machines/, and nowhere else. Of
# engine/engines/cpu/ the file instruction_sets_<machine>.cpp checks the same sets at run time before it calls one.
# For builds that do not measure: -O1 compiles the kernels in a tenth of the time, which a build with sanitizers has no use for -O3 in.
set(PHALANX_KERNEL_OPTIONS "" CACHE STRING "What kernel files are compiled with behind all other options")
mark_as_advanced(PHALANX_KERNEL_OPTIONS)

# The kernel files, one for each cipher and instruction set, and for GPUs; and the kernels of a file that has several.
set(PHALANX_KERNEL_CIPHERS des aes serpent twofish ghash)
set(PHALANX_KERNELS_OF_aes aes_128 aes_192 aes_256)

# Adds the kernel files of one instruction set to the target; one that adds to another has files only where it does so. Without exceptions: their tables would put a weak symbol into
# each file.
function(phalanx_add_kernels target isa)
  if(NOT DEFINED PHALANX_FLAGS_${isa})
    message(FATAL_ERROR "the instruction set ${isa} has no PHALANX_FLAGS_${isa} in cmake/machines/${PHALANX_MACHINE}.cmake: set them")
  endif()
  foreach(cipher IN LISTS PHALANX_KERNEL_CIPHERS)
    set(file ${PROJECT_SOURCE_DIR}/src/engine/engines/cpu/kernels/${cipher}_${isa}.cpp)
    if(NOT EXISTS ${file})
      continue()
    endif()
    target_sources(${target} PRIVATE ${file})
    set_source_files_properties(${file} TARGET_DIRECTORY ${target}
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
                                "${PHALANX_FLAGS_${isa}};${PHALANX_OPTIONS_${cipher}_${isa}};-fno-exceptions;${PHALANX_KERNEL_HARDENING};${PHALANX_KERNEL_OPTIONS}")
  endforeach()
endfunction()
