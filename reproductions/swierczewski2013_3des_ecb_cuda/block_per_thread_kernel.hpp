// Swierczewski (2013), section II-B: a CUDA thread for every 64-bit block.
#pragma once

#include "reproductions/swierczewski2013_3des_ecb_cuda/long_integer_3des.hpp"

namespace papers::swierczewski2013 {

/// One launch of kernel_3des of listing 1.1 over N blocks in the GPU's memory, in place. keys_device: 48 round keys, there
/// too.
void launch_kernel_3des(unsigned num_cuda_blocks, unsigned block_size, LongInteger* data_device, unsigned long N,
                        const LongInteger* keys_device);

}  // namespace papers::swierczewski2013
