// The cipher kernel of the code that the authors published beside the paper, where it differs from the paper's text. Written
// anew; README.md says what differs and where it was read.
#pragma once

#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_kernels.hpp"

namespace papers::altinok2020 {

/// One DES of num_blocks blocks of 64 chars, from one array to another, by 64 threads each: three barriers a round, eight
/// threads for the S-boxes, no argument for the direction: decryption is a launch with the sixteen round keys reversed.
void launch_published_kernel(const Fips46Tables* tables, const char* round_keys, const char* plain, char* crypted,
                             unsigned num_blocks);

}  // namespace papers::altinok2020
