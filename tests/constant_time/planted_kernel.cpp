// Kernels with a leak each, for tools/constant_time to find: tables of type Kernel, whose functions have the roles that kernel.hpp gives
// them. test_constant_time.py compiles this for each instruction set, and knows what is to be found in each.
#include <immintrin.h>

#include <cstring>

#include "engines/cpu/kernel.hpp"

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
  mask
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

}  // namespace phalanx
