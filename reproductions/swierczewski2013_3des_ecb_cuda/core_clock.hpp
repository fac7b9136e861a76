// How fast the GPU's clock goes while the kernels run: what it takes to say how many cycles they cost.
#pragma once

#include <functional>

namespace papers::swierczewski2013 {

/// Of the GPU in use, as its maker has them: those for 32-bit numbers.
int num_cuda_cores();

/// Cycles a second of one multiprocessor while the kernels run that `launch_kernels` puts in the default stream. They have to
/// take a tenth of a second at least.
double clock_rate_under(const std::function<void()>& launch_kernels);

}  // namespace papers::swierczewski2013
