# x86-64: its instruction sets, the slowest first, and what marks where an indirect call or a return may land (CET).
set(PHALANX_INSTRUCTION_SETS scalar avx2 avx2_vaes avx512)
set(PHALANX_MACHINE_HARDENING -fcf-protection=full)

set(PHALANX_FLAGS_scalar "")
set(PHALANX_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -maes -mpclmul)
set(PHALANX_FLAGS_avx2_vaes ${PHALANX_FLAGS_avx2} -mvaes -mvpclmulqdq)
set(PHALANX_FLAGS_avx512 ${PHALANX_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mgfni -mvaes
                         -mvpclmulqdq -mprefer-vector-width=512)

# Of loops over lanes, compilers of later years make loads and stores at many addresses at once. What these take depends on the addresses,
# which are no secrets; tools/constant_time/check_kernels wants none all the same, for it cannot follow them.
include(CheckCXXCompilerFlag)
foreach(what gather scatter)
  check_cxx_compiler_flag(-mno-${what} PHALANX_KNOWS_NO_${what})
  if(PHALANX_KNOWS_NO_${what})
    list(APPEND PHALANX_FLAGS_avx2 -mno-${what})
    list(APPEND PHALANX_FLAGS_avx2_vaes -mno-${what})
    list(APPEND PHALANX_FLAGS_avx512 -mno-${what})
  endif()
endforeach()

# GCC's second scheduling moves AES instructions out of the order in which their rounds are written. On a Zen 5 (AMD family 26
# model 2) CTR at 64 KiB took 16 % (256-bit keys) to 25 % (128-bit keys) longer by it; on a Xeon (family 6 model 207) nothing changed.
set(PHALANX_OPTIONS_aes_avx512 $<$<CXX_COMPILER_ID:GNU>:-fno-schedule-insns2>)
# Nor is it any good to what g++ 12 makes of these: on a Zen 4 (AMD family 25 model 17) scalar AES is 2 to 15 % faster without it, GCM by
# AVX2 7 %, Twofish up to 5 %; CBC by AVX2 decrypts 2 to 3 % slower (docs/notes/compilers.md). Later releases were not tried.
foreach(kernel aes_scalar aes_avx2 twofish_avx2)
  set(PHALANX_OPTIONS_${kernel}
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-fno-schedule-insns2>)
endforeach()
# Twofish by AVX2 is 4 to 5 % faster still where g++ 12 makes no vectors of its own and keeps values in registers for shorter.
list(APPEND PHALANX_OPTIONS_twofish_avx2
     $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-fno-tree-vectorize>
     $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-flive-range-shrinkage>)

# Of one block of Serpent each operation waits for the one before. GCC's sums in another order came 5 to 10 % later (AMD EPYC, family 25
# model 1).
set(PHALANX_OPTIONS_serpent_avx2 $<$<CXX_COMPILER_ID:GNU>:-fno-tree-reassoc>)
