// Kernels with a leak each, for tools/constant_time to find: tables of type Kernel, whose functions have the roles that kernel.hpp gives
// them. test_constant_time.py compiles this for each instruction set, and knows what is to be found in each.
#include <immintrin.h>

#include <cstring>

#include "engine/engines/cpu/kernel.hpp"

namespace phalanx {
namespace {

const std::uint8_t table[256] = {3, 1, 4, 1, 5, 9, 2, 6};

enum class Leak {
  none,
  table,
  branch,
  division,
  early_exit,
  size_of_copy,
  spilled_index,
  rotation_with_carry,
  gather,
  mask,
  mask_of_operand,
  mask_of_expansion
};

template <Leak leak>
std::uint8_t leaked(std::uint8_t x, std::size_t i) {
  if constexpr (leak == Leak::table) return table[x];
  if constexpr (leak == Leak::division) return static_cast<std::uint8_t>(1000 / (x | 1));
  if constexpr (leak == Leak::branch) {
    if (x == 0x55) __asm__ volatile("" : "+r"(x) : : "memory");
  }
  if constexpr (leak == Leak::spilled_index) {  // through memory
    std::size_t index = x;
    __asm__ volatile("" : "+m"(index));
    return table[index];
  }
  if constexpr (leak == Leak::rotation_with_carry) {
    unsigned long long wide = i;
    __asm__ volatile("rclq %%cl, %0" : "+r"(wide) : "c"(x) : "cc");
    return static_cast<std::uint8_t>(wide);
  }
  return x;
}

// No leaks, of which the check once knew too little.
void leak_nothing(const std::uint8_t* in, std::size_t secret, std::size_t num_blocks) {
  // The lowest byte is public, on the stack too.
  __asm__ volatile("movb $1, %b0\n\tpushq %q0\n\tpopq %q0\n\ttestb %b0, %b0\n\tjne 1f\n\tmovq %q0, (%%rsp)\n1:"
                   : "+r"(secret)
                   :
                   : "cc", "memory");
#ifdef __AVX512VL__
  const std::size_t* places[4];  // pointers in parts of vectors are pointers
  __asm__ volatile(
      "vmovq %1, %%xmm0\n\tvpinsrq $1, %1, %%xmm0, %%xmm0\n\tvinserti64x2 $1, %%xmm0, %%ymm0, %%ymm0\n\t"
      "vinserti64x4 $1, %%ymm0, %%zmm0, %%zmm0\n\tvextracti64x4 $1, %%zmm0, %%ymm0\n\tvmovdqu %%ymm0, %0"
      : "=m"(places)
      : "r"(&num_blocks)
      : "xmm0");
  if (*places[3] == 3) __asm__ volatile("" : : : "memory");
  __m256i sum = _mm256_set1_epi64x(static_cast<long long>(secret));
  __m256i kept;  // a masked load of the stack holds nothing back
  __asm__ volatile("vmovdqu %1, %0" : "=m"(kept) : "v"(sum));
  __asm__ volatile("vpaddd %1, %0, %0 %{%2%}" : "+v"(sum) : "m"(kept), "Yk"(static_cast<__mmask8>(secret)));
  // ... nor does one of a permutation, which loads all bytes
  __asm__ volatile("vpermb %1, %0, %0 %{%2%}"
                   : "+v"(sum)
                   : "m"(*reinterpret_cast<const __m256i*>(in)), "Yk"(static_cast<__mmask32>(secret)));
#endif
  (void)in, (void)num_blocks;
}

// What a set with vectors can do.
template <Leak leak>
void leak_vectors(const std::uint8_t* in, std::uint8_t* out) {
#ifdef __AVX2__
  const __m256i places = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)), _mm256_set1_epi32(63));
  if constexpr (leak == Leak::gather) {
    const __m256i found = _mm256_i32gather_epi32(reinterpret_cast<const int*>(table), places, 4);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), found);
  }
  if constexpr (leak == Leak::mask) {
    const __m256i mask = _mm256_cmpgt_epi32(places, _mm256_set1_epi32(31));
    _mm256_maskstore_epi32(reinterpret_cast<int*>(out), mask, places);
  }
#endif
#ifdef __AVX512VL__
  if constexpr (leak == Leak::mask_of_operand) {  // of a sum whose second operand lies in memory
    const __mmask8 mask = _mm256_cmpgt_epi32_mask(places, _mm256_set1_epi32(31));
    __m256i sum = places;
    __asm__ volatile("vpaddd %1, %2, %0 %{%3%}"
                     : "+v"(sum)
                     : "m"(*reinterpret_cast<const __m256i*>(in)), "v"(places), "Yk"(mask));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), sum);
  }
  if constexpr (leak == Leak::mask_of_expansion) {  // which loads as many elements as the mask has bits
    __m256i kept;
    __asm__ volatile("vmovdqu %1, %0" : "=m"(kept) : "v"(places));
    __m256i found;
    __asm__ volatile("vpexpandd %1, %0 %{%2%}%{z%}" : "=v"(found) : "m"(kept), "Yk"(static_cast<__mmask8>(in[0])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), found);
  }
#endif
  (void)in, (void)out;
}

// As of CTR, whose iv is a counter and public: branches on it are none on a secret.
template <Leak leak>
void crypt(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
  const auto* key = static_cast<const std::uint8_t*>(schedule);
  if (iv[15] == 0xFF) iv[14] = static_cast<std::uint8_t>(iv[14] + 1);
  for (std::size_t i = 0; i < 16 * num_blocks; ++i) {
    const std::uint8_t x = in[i] ^ key[i % 16];
    if (leak == Leak::early_exit && x != key[(i + 1) % 16]) break;
    if (leak == Leak::size_of_copy) std::memcpy(out, in, x);
    out[i] = leaked<leak>(x, i);
  }
  if constexpr (leak == Leak::none) leak_nothing(in, in[0] * 0x0101010101010101ULL, num_blocks);
  leak_vectors<leak>(in, out);
}

template <Leak leak>
constexpr Kernel planted() {
  Kernel kernel{};
  kernel.range[static_cast<unsigned>(Mode::ctr)][0] = crypt<leak>;
  return kernel;
}

}  // namespace

extern const Kernel planted_kernel_0 = planted<Leak::none>();
extern const Kernel planted_kernel_1 = planted<Leak::table>();
extern const Kernel planted_kernel_2 = planted<Leak::branch>();
extern const Kernel planted_kernel_3 = planted<Leak::division>();
extern const Kernel planted_kernel_4 = planted<Leak::early_exit>();
extern const Kernel planted_kernel_5 = planted<Leak::size_of_copy>();
extern const Kernel planted_kernel_6 = planted<Leak::spilled_index>();
extern const Kernel planted_kernel_7 = planted<Leak::rotation_with_carry>();
extern const Kernel planted_kernel_8 = planted<Leak::gather>();
extern const Kernel planted_kernel_9 = planted<Leak::mask>();
extern const Kernel planted_kernel_10 = planted<Leak::mask_of_operand>();
extern const Kernel planted_kernel_11 = planted<Leak::mask_of_expansion>();

}  // namespace phalanx
