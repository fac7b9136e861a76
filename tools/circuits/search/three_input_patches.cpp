#include "three_input_patches.hpp"

namespace circuits {
namespace {

// The inner loop of the search: compiled for wider vectors as well, and chosen when the program starts.
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void partners_of_all(const Signals* tells, int num_pairs, int num_signals, Signals* partner) {
  constexpr int width = 8;
  using Lanes = Signals __attribute__((vector_size(sizeof(Signals) * width)));
  Lanes place = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int d = 0; d < num_signals; d += width, place += width) {
    Lanes allowed = ~Lanes{};
    for (int n = 0; n < num_pairs; ++n) {
      const Lanes pair = Lanes{} + tells[n];
      allowed &= pair | -(pair >> place & 1);
    }
    __builtin_memcpy(partner + d, &allowed, sizeof allowed);
  }
}

}  // namespace

void ThreeInputPatches::find_partners(const Signals* tells, int num_pairs, int num_signals, Signals* partner) {
  partners_of_all(tells, num_pairs, num_signals, partner);
}

}  // namespace circuits
