// PHALANX_INLINE marks the functions that a kernel is made of. They must vanish into it, whatever the optimiser thinks
// of their size. Under nvcc they are compiled for host and device alike. PHALANX_INLINE_LAMBDA does the same for a
// lambda.
//
// A kernel includes headers of engine/bytes/, engine/lanes/, engine/modes/ and engine/ciphers/*_core.hpp. All in them
// lives in an unnamed namespace, since two kernel files compile the same header for two instruction sets. A linker that
// merged their copies would run AVX-512 code on a machine without it. For the same reason these headers use no template
// of the standard library.
//
// PHALANX_UNROLL stands before a loop that nvcc must unroll: only then do its arrays stay in registers.
// PHALANX_NO_UNROLL stands before one that it must not unroll: a GPU's instruction cache is small.
#pragma once

#if defined(__CUDACC__)
#define PHALANX_INLINE __host__ __device__ __forceinline__
#define PHALANX_INLINE_LAMBDA
#define PHALANX_UNROLL _Pragma("unroll")
#define PHALANX_NO_UNROLL _Pragma("unroll 1")
#else
#define PHALANX_INLINE inline __attribute__((always_inline))
#define PHALANX_INLINE_LAMBDA __attribute__((always_inline))
#define PHALANX_UNROLL
#define PHALANX_NO_UNROLL
#endif
