#include "reproductions/swierczewski2013_3des_ecb_cuda/block_per_thread_kernel.hpp"

namespace papers::swierczewski2013 {
namespace {

__constant__ Fips46Tables tables = fips46_tables;

// Table I goes to 512 threads a block: without the bound, today's compiler takes more registers than so many threads can
// have.
constexpr int highest_block_size = 512;

__global__ void __launch_bounds__(highest_block_size)
    kernel_3des(LongInteger* data, unsigned long N, const LongInteger* keys) {
  const unsigned long i = static_cast<unsigned long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < N) data[i] = triple_des(tables, keys, data[i]);
}

}  // namespace

void launch_kernel_3des(unsigned num_cuda_blocks, unsigned block_size, LongInteger* data_device, unsigned long N,
                        const LongInteger* keys_device) {
  kernel_3des<<<num_cuda_blocks, block_size>>>(data_device, N, keys_device);
}

}  // namespace papers::swierczewski2013
