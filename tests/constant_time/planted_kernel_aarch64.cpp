// Kernels of 64-bit Arm with a leak each, as those of planted_kernel.cpp. test_aarch64_kernels.py knows what is to be found in each.
#include <arm_neon.h>

#include <cstring>

#include "engine/engines/cpu/kernel.hpp"

namespace phalanx {
namespace {

const std::uint8_t table[256] = {3, 1, 4, 1, 5, 9, 2, 6};

enum class Leak {
  none,
  table,
  branch_on_zero,
  branch_on_bit,
  branch_on_flags,
  branch_on_two_comparisons,
  division,
  early_exit,
  size_of_copy,
  spilled_index,
  index_from_vector,
  pair_at_secret,
  step_of_address,
  prefetch,
  jump_through_register
};

// Branches that a compiler would turn into selections.
template <Leak leak>
void branch(std::uint64_t x) {
  if constexpr (leak == Leak::branch_on_zero) __asm__ volatile("cbz %0, 1f\n\tnop\n1:" : : "r"(x));
  if constexpr (leak == Leak::branch_on_bit) __asm__ volatile("tbnz %0, #3, 1f\n\tnop\n1:" : : "r"(x));
  if constexpr (leak == Leak::branch_on_flags) __asm__ volatile("tst %0, #1\n\tb.ne 1f\n\tnop\n1:" : : "r"(x) : "cc");
  if constexpr (leak == Leak::branch_on_two_comparisons) {
    __asm__ volatile("cmp xzr, xzr\n\tccmp %0, #5, #0, eq\n\tb.hi 1f\n\tnop\n1:" : : "r"(x) : "cc");
  }
  if constexpr (leak == Leak::jump_through_register) __asm__ volatile("adr x16, 1f\n\tbr x16\n1:\n\tbti j" : : : "x16");
}

template <Leak leak>
std::uint8_t leaked(std::uint8_t x, const std::uint8_t* in) {
  branch<leak>(x);
  if constexpr (leak == Leak::table) return table[x];
  if constexpr (leak == Leak::division) return static_cast<std::uint8_t>(1000 / (x | 1));
  if constexpr (leak == Leak::spilled_index) {  // through memory
    std::size_t index = x;
    __asm__ volatile("" : "+m"(index));
    return table[index];
  }
  if constexpr (leak == Leak::index_from_vector) return table[vgetq_lane_u8(vaeseq_u8(vld1q_u8(in), vdupq_n_u8(x)), 3)];
  std::uint64_t low = x;
  std::uint64_t high = 0;
  if constexpr (leak == Leak::pair_at_secret)
    __asm__ volatile("ldp %0, %1, [%2]" : "=r"(low), "=r"(high) : "r"(table + 16 * (x % 4)));
  if constexpr (leak == Leak::step_of_address) {
    __asm__ volatile("ld1 {v16.16b}, [%0], %1\n\tldrb %w1, [%0]" : "+r"(in), "+r"(low) : : "v16");
  }
  if constexpr (leak == Leak::prefetch) __asm__ volatile("prfm pldl1keep, [%0]" : : "r"(table + x));
  return static_cast<std::uint8_t>(low ^ high);
}

// No leaks: what Arm has of selections, fields and permutations takes one time.
std::uint8_t leak_nothing(std::uint64_t secret, const std::uint8_t* in, std::size_t num_blocks) {
  std::uint64_t chosen;
  __asm__ volatile("cmp %1, #5\n\tcsel %0, %1, xzr, hi\n\tcset %w1, eq\n\tbfi %0, %1, #3, #7\n\trorv %0, %0, %1"
                   : "=&r"(chosen), "+r"(secret)
                   :
                   : "cc");
  const uint8x16x4_t bytes = vld1q_u8_x4(table);  // a table that is looked up in registers
  const uint8x16_t found = vqtbl4q_u8(bytes, veorq_u8(vld1q_u8(in), vdupq_n_u8(static_cast<std::uint8_t>(chosen))));
  const std::size_t* places[2];  // pointers in halves of vectors are pointers
  __asm__ volatile("fmov d16, %1\n\tmov v16.d[1], %1\n\tstr q16, %0" : "=m"(places) : "r"(&num_blocks) : "v16");
  if (*places[1] == 3) __asm__ volatile("" : : : "memory");
  const std::uint8_t* backwards;  // a table read from its end, as g++ does: twice a place in it, less a pointer into it
  __asm__ volatile("lsl %0, %1, #1\n\tadd %0, %0, #4\n\tsub %0, %0, %1" : "=&r"(backwards) : "r"(table + num_blocks % 4));
  const std::uint8_t* element;  // of an array, by its number times its size
  __asm__ volatile("madd %0, %1, %2, %3" : "=r"(element) : "r"(num_blocks % 4), "r"(std::size_t{24}), "r"(table));
  return vgetq_lane_u8(found, 7) ^ table[*backwards] ^ table[*element];
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
    out[i] = leak == Leak::none ? leak_nothing(x, in, num_blocks) : leaked<leak>(x, in);
  }
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
extern const Kernel planted_kernel_2 = planted<Leak::branch_on_zero>();
extern const Kernel planted_kernel_3 = planted<Leak::branch_on_bit>();
extern const Kernel planted_kernel_4 = planted<Leak::branch_on_flags>();
extern const Kernel planted_kernel_5 = planted<Leak::branch_on_two_comparisons>();
extern const Kernel planted_kernel_6 = planted<Leak::division>();
extern const Kernel planted_kernel_7 = planted<Leak::early_exit>();
extern const Kernel planted_kernel_8 = planted<Leak::size_of_copy>();
extern const Kernel planted_kernel_9 = planted<Leak::spilled_index>();
extern const Kernel planted_kernel_10 = planted<Leak::index_from_vector>();
extern const Kernel planted_kernel_11 = planted<Leak::pair_at_secret>();
extern const Kernel planted_kernel_12 = planted<Leak::step_of_address>();
extern const Kernel planted_kernel_13 = planted<Leak::prefetch>();
extern const Kernel planted_kernel_14 = planted<Leak::jump_through_register>();

}  // namespace phalanx
