#include "reproductions/paper_gpu.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/block_per_thread_kernel.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/paper_file.hpp"

namespace papers::swierczewski2013 {
namespace {

__constant__ Fips46Tables tables = fips46_tables;

template <unsigned most_threads>
__global__ void __launch_bounds__(most_threads) kernel_3des(LongInteger* data, unsigned long N, const LongInteger* keys) {
  const unsigned long i = static_cast<unsigned long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < N) data[i] = triple_des(tables, keys, data[i]);
}

auto kernel_of(unsigned launch_bounds) {
  return launch_bounds == threads_per_cuda_block ? kernel_3des<threads_per_cuda_block> : kernel_3des<highest_block_size>;
}

}  // namespace

void launch_kernel_3des(unsigned num_cuda_blocks, unsigned block_size, LongInteger* data_device, unsigned long N,
                        const LongInteger* keys_device, unsigned launch_bounds) {
  kernel_of(launch_bounds)<<<num_cuda_blocks, block_size>>>(data_device, N, keys_device);
}

int num_registers(unsigned launch_bounds) {
  cudaFuncAttributes attributes{};
  require_success(cudaFuncGetAttributes(&attributes, kernel_of(launch_bounds)), "the kernel's attributes");
  return attributes.numRegs;
}

}  // namespace papers::swierczewski2013
