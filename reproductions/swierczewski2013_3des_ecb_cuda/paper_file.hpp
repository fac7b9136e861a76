// The file of Swierczewski (2013), section III: 512 MB of 64-bit blocks under one key.
#pragma once

#include <cstring>
#include <vector>

#include "reproductions/paper_program.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/long_integer_3des.hpp"

namespace papers::swierczewski2013 {

using Words = std::vector<LongInteger>;

inline constexpr std::size_t file_bytes = 512 * mebibyte;
inline constexpr std::size_t file_blocks = file_bytes / 8;
inline constexpr unsigned long blocks_per_launch = 131072;
inline constexpr unsigned threads_per_cuda_block = 256;

inline ByteVector file_key() { return test_data(24, 2); }

/// The bytes as the processor's integers, and back.
inline Words words_of(Bytes bytes) {
  Words words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), 8 * words.size());
  return words;
}

inline ByteVector bytes_of(const Words& words) {
  ByteVector bytes(8 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// Which figure: see Figure.
struct Cell {
  const char* table;
  std::string row;
  std::string column;
  const char* method;
};

/// `seconds` for measured_bytes, as the time for the whole file; and how much of it was measured.
inline void print_file_time(const Cell& cell, double seconds, std::size_t measured_bytes, int threads = 1) {
  const double share = static_cast<double>(measured_bytes) / static_cast<double>(file_bytes);
  print_figure({cell.table, cell.row, cell.column, cell.method, "time of 512 MiB", "s", seconds / share, threads});
  print_figure({cell.table, cell.row, cell.column, cell.method, "measured of it", "MiB",
                static_cast<double>(measured_bytes) / mebibyte, threads});
}

}  // namespace papers::swierczewski2013
