// Listing 1.1 of Swierczewski (2013), "Call the kernel": which launches its loop makes, as printed and put right.
#pragma once

#include <algorithm>

namespace papers::swierczewski2013 {

/// As printed: `N/block_size+(N%block_size == 0 ? 0:1)`. It rounds up, as it should.
constexpr unsigned printed_num_cuda_blocks(unsigned long N, unsigned block_size) {
  return static_cast<unsigned>(N / block_size + (N % block_size == 0 ? 0 : 1));
}

/// The same without its parentheses, as one easily types it: `+` binds before `==` and `?:`, and the value is 0 or 1.
constexpr unsigned num_cuda_blocks_without_parentheses(unsigned long N, unsigned block_size) {
  return static_cast<unsigned>((N / block_size + N % block_size) == 0 ? 0 : 1);
}

/// Ours: no condition to get wrong.
constexpr unsigned num_cuda_blocks(unsigned long N, unsigned block_size) {
  return static_cast<unsigned>((N + block_size - 1) / block_size);
}

/// As printed: `for(i = 0; i <= size_data; i += N) kernel(data+i, N)`. It makes one launch too many if size_data is a
/// multiple of N, and the last one always takes N blocks. launch(offset, count), in 64-bit blocks.
template <class Launch>
void printed_launches(unsigned long long size_data, unsigned long N, const Launch& launch) {
  for (unsigned long long i = 0; i <= size_data; i += N) launch(i, N);
}

/// Put right: `<`, and the last launch takes what is left.
template <class Launch>
void launches(unsigned long long size_data, unsigned long N, const Launch& launch) {
  for (unsigned long long i = 0; i < size_data; i += N)
    launch(i, static_cast<unsigned long>(std::min<unsigned long long>(N, size_data - i)));
}

}  // namespace papers::swierczewski2013
