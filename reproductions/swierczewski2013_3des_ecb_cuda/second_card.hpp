// What Swierczewski (2013) expects of "an additional graphics card": twice the throughput. It had none.
#pragma once

namespace papers::swierczewski2013 {

/// The file on one GPU and, in equal parts, on two, where there are two: the paper's kernels, ours in the GPUs' memory, and
/// ours from memory to memory. Every output is compared with reference/.
void measure_cards();

}  // namespace papers::swierczewski2013
