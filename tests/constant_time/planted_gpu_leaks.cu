// Kernels for GPUs with a leak each, for tools/constant_time/check_gpu_kernels to find; test_gpu_kernels.py knows what is to be found in each.
#include <cstdint>

namespace phalanx {
namespace {

enum class Leak { none, branch, table_in_memory, shared_bank, guarded_store, local_table, matrix_product };

template <Leak leak>
__global__ void planted_kernel(const std::uint8_t* in, std::uint8_t* out, const std::uint32_t* table) {
  __shared__ std::uint32_t shared[256 * 32];
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i < 256 * 32; i += blockDim.x) shared[i] = table[i / 32];
  __syncthreads();
  const std::uint32_t x = in[threadIdx.x];
  std::uint32_t y = shared[x * 32 + lane];  // in the lane's own bank: none
  if constexpr (leak == Leak::branch) {
    while (y % 7 != 0) y = y * 5 + 1;
  }
  if constexpr (leak == Leak::table_in_memory) y ^= table[x];
  if constexpr (leak == Leak::shared_bank) y ^= shared[x];
  if constexpr (leak == Leak::guarded_store) {
    if (x == 0x55) out[threadIdx.x + 4096] = 1;
  }
  if constexpr (leak == Leak::local_table) {
    std::uint32_t own[256];  // in a loop, or nvcc keeps it in registers
#pragma unroll 1
    for (unsigned i = 0; i < 256; ++i) own[i] = table[i] + lane;
    y ^= own[x];
  }
  if constexpr (leak == Leak::matrix_product) {
    std::uint32_t counts[4];
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, "
        "%6, %6};"
        : "=r"(counts[0]), "=r"(counts[1]), "=r"(counts[2]), "=r"(counts[3])
        : "r"(lane), "r"(y), "r"(0));
    while (counts[3] % 7 != 0) counts[3] = counts[3] * 5 + 1;
    y ^= counts[3];
  }
  out[threadIdx.x] = static_cast<std::uint8_t>(y);
}

}  // namespace

template <Leak leak>
void launch(const std::uint8_t* in, std::uint8_t* out, const std::uint32_t* table) {
  planted_kernel<leak><<<1, 32>>>(in, out, table);
}
template void launch<Leak::none>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::branch>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::table_in_memory>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::shared_bank>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::guarded_store>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::local_table>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);
template void launch<Leak::matrix_product>(const std::uint8_t*, std::uint8_t*, const std::uint32_t*);

}  // namespace phalanx
