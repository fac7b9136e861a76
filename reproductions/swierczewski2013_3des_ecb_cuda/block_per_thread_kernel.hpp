// Swierczewski (2013), section II-B: a CUDA thread for every 64-bit block.
#pragma once

#include "reproductions/swierczewski2013_3des_ecb_cuda/long_integer_3des.hpp"

namespace papers::swierczewski2013 {

// Table I goes to 512 threads a block: without __launch_bounds__, today's compiler takes more registers than so many threads
// can have. Tables II and IV have threads_per_cuda_block: the kernel is there with either bound, so that what the higher one
// costs there is seen.
inline constexpr unsigned highest_block_size = 512;

/// One launch of kernel_3des of listing 1.1 over N blocks in the GPU's memory, in place. keys_device: 48 round keys, there
/// too. launch_bounds: one of the two.
void launch_kernel_3des(unsigned num_cuda_blocks, unsigned block_size, LongInteger* data_device, unsigned long N,
                        const LongInteger* keys_device, unsigned launch_bounds = highest_block_size);

/// What a thread of the kernel with that bound has on this GPU.
int num_registers(unsigned launch_bounds);

}  // namespace papers::swierczewski2013
