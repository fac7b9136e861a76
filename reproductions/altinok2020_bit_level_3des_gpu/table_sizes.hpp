// The sizes of tables I and II, and how long each is measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "reproductions/paper_program.hpp"

namespace papers::altinok2020 {

inline constexpr std::size_t bytes_per_block = 8;
inline constexpr std::size_t first_size = std::size_t{1} << 2;
inline constexpr std::size_t last_size = std::size_t{1} << 17;

/// The first cell of a size's row: "1024 (8KB)".
inline std::string size_label(std::size_t num_blocks) {
  std::size_t size = bytes_per_block * num_blocks;
  const char* unit = "B";
  for (const char* larger : {"KB", "MB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  return std::to_string(num_blocks) + " (" + std::to_string(size) + unit + ")";
}

inline ByteVector table_key() { return test_data(24, 2); }

/// The median of as many runs as fill the time, between 3 and 301, after one that is not counted.
template <class Work>
double median_within(double seconds, const Work& work) {
  work();
  const double once = std::max(seconds_of(work), 1e-7);
  const double runs = std::clamp(seconds / once, 3.0, 301.0);
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(runs); ++i) times.push_back(seconds_of(work));
  return median(times);
}

}  // namespace papers::altinok2020
