#include "files/recognition/randomness.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace phalanx {

// The sum of squares has a mean of 255 and a deviation of 22.6 for random bytes. One value in a third of 24 bytes or more
// comes of chance less than once in 2^42 times.
bool look_random(Bytes bytes) {
  constexpr std::size_t num_values = 256, least_bytes = 24;
  constexpr double most_square_sum = 650;
  std::array<std::size_t, num_values> counts{};
  for (const std::uint8_t byte : bytes) ++counts[byte];
  const std::size_t most = *std::ranges::max_element(counts);
  if (bytes.size() >= least_bytes && most * 3 > bytes.size()) return false;
  if (bytes.size() < 2 * num_values) return true;
  const double expected = static_cast<double>(bytes.size()) / num_values;
  double sum = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum <= most_square_sum;
}

}  // namespace phalanx
