#include "files/migration/png_sums.hpp"

#include <algorithm>

namespace phalanx {
namespace {

constexpr std::uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::uint8_t last_name[] = {'I', 'E', 'N', 'D'};
constexpr std::size_t length_bytes = 4;
constexpr std::uint32_t most_chunk_bytes = 0x7fffffff;  // section 5.3

// Annex D of PNG makes this table: the CRC of each byte, by ISO 3309's polynomial with its bits in reverse.
constexpr std::array<std::uint32_t, 256> make_sum_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1U) != 0 ? 0xedb88320U ^ (sum >> 1) : sum >> 1;
    table[byte] = sum;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> sum_table = make_sum_table();

std::uint32_t big_endian(Bytes bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

void PngSums::add_to_sum(Bytes bytes) {
  for (const std::uint8_t byte : bytes) sum_ = sum_table[(sum_ ^ byte) & 0xffU] ^ (sum_ >> 8);
}

// Takes bytes until `size` of them are collected, and returns whether they are.
bool PngSums::collect(Bytes& bytes, std::size_t size) {
  const std::size_t taken = std::min(bytes.size(), size - num_collected_);
  std::copy_n(bytes.begin(), taken, collected_.begin() + static_cast<std::ptrdiff_t>(num_collected_));
  bytes = bytes.subspan(taken);
  num_collected_ += taken;
  if (num_collected_ < size) return false;
  num_collected_ = 0;
  return true;
}

void PngSums::begin_chunk() {
  const Bytes name = Bytes(collected_).subspan(length_bytes);
  rest_bytes_ = big_endian(collected_);
  is_last_ = std::ranges::equal(name, last_name);
  sum_ = 0xffffffffU;
  add_to_sum(name);
  part_ = rest_bytes_ > most_chunk_bytes ? Part::wrong : Part::data;
}

void PngSums::end_chunk() {
  const bool right = big_endian(collected_) == (sum_ ^ 0xffffffffU);
  part_ = !right ? Part::wrong : is_last_ ? Part::end : Part::header;
}

void PngSums::take(Bytes& bytes) {
  switch (part_) {
    case Part::signature:
      if (collect(bytes, signature_bytes)) part_ = std::ranges::equal(collected_, signature) ? Part::header : Part::wrong;
      return;
    case Part::header:
      if (collect(bytes, header_bytes)) begin_chunk();
      return;
    case Part::data: {
      const Bytes taken = bytes.first(std::min<std::size_t>(bytes.size(), rest_bytes_));
      add_to_sum(taken);
      bytes = bytes.subspan(taken.size());
      rest_bytes_ -= static_cast<std::uint32_t>(taken.size());
      if (rest_bytes_ == 0) part_ = Part::sum;
      return;
    }
    case Part::sum:
      if (collect(bytes, sum_bytes)) end_chunk();
      return;
    default:  // what follows the end is none of the image's, and has no sum
      part_ = Part::wrong;
      bytes = {};
  }
}

void PngSums::add(Bytes bytes) {
  while (!bytes.empty()) take(bytes);
}

}  // namespace phalanx
