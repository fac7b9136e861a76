#include "files/recognition/inflated_beginning.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace phalanx {
namespace {

constexpr unsigned longest_code = 15;
constexpr std::size_t num_length_codes = 19, most_literals = 288, most_distances = 32;
constexpr unsigned end_of_block = 256, first_length = 257;

// Reads bits from the least significant one on. Behind the end there is nothing.
class BitReader {
 public:
  explicit BitReader(Bytes data) : data_(data) {}

  std::optional<unsigned> bits(unsigned count) {
    if (place_ + count > data_.size() * 8) return std::nullopt;
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i, ++place_) value |= (data_[place_ / 8] >> (place_ % 8) & 1U) << i;
    return value;
  }

 private:
  Bytes data_;
  std::size_t place_ = 0;
};

// Decodes the prefix codes of one alphabet, which follow from their lengths (RFC 1951, section 3.2.2).
class PrefixCode {
 public:
  // False where the lengths make no code. A code of one symbol alone may be incomplete.
  bool build(const std::uint8_t* lengths, std::size_t count) {
    num_of_length_ = {};
    symbols_.clear();
    for (std::size_t i = 0; i < count; ++i) ++num_of_length_[lengths[i]];
    num_of_length_[0] = 0;
    for (unsigned length = 1; length <= longest_code; ++length) {
      for (std::size_t i = 0; i < count; ++i) {
        if (lengths[i] == length) symbols_.push_back(static_cast<std::uint16_t>(i));
      }
    }
    int left = 1;
    for (unsigned length = 1; length <= longest_code; ++length) {
      left = left * 2 - static_cast<int>(num_of_length_[length]);
      if (left < 0) return false;
    }
    return left == 0 || symbols_.size() <= 1;
  }

  std::optional<unsigned> next(BitReader& reader) const {
    unsigned code = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= longest_code; ++length) {
      const std::optional<unsigned> bit = reader.bits(1);
      if (!bit) return std::nullopt;
      code = code << 1 | *bit;
      first <<= 1;
      const unsigned count = num_of_length_[length];
      if (code - first < count) return symbols_[index + (code - first)];
      index += count;
      first += count;
    }
    return std::nullopt;
  }

 private:
  std::array<unsigned, longest_code + 1> num_of_length_{};
  std::vector<std::uint16_t> symbols_;
};

struct BlockCodes {
  PrefixCode literals, distances;
};

bool build_fixed(BlockCodes& codes) {
  std::array<std::uint8_t, most_literals> lengths{};
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  std::array<std::uint8_t, most_distances> distances{};
  distances.fill(5);
  return codes.literals.build(lengths.data(), lengths.size()) && codes.distances.build(distances.data(), distances.size());
}

// Reads so many code lengths, of which some stand for several (section 3.2.7).
bool read_lengths(BitReader& reader, const PrefixCode& code, std::vector<std::uint8_t>& lengths, std::size_t count) {
  while (lengths.size() < count) {
    const std::optional<unsigned> symbol = code.next(reader);
    if (!symbol) return false;
    if (*symbol < 16) {
      lengths.push_back(static_cast<std::uint8_t>(*symbol));
      continue;
    }
    if (*symbol == 16 && lengths.empty()) return false;
    const std::uint8_t repeated = *symbol == 16 ? lengths.back() : std::uint8_t{0};
    const std::optional<unsigned> more = reader.bits(*symbol == 16 ? 2 : *symbol == 17 ? 3 : 7);
    if (!more) return false;
    lengths.insert(lengths.end(), *more + (*symbol == 18 ? 11 : 3), repeated);
  }
  return lengths.size() == count;
}

bool build_dynamic(BitReader& reader, BlockCodes& codes) {
  constexpr std::array<std::uint8_t, num_length_codes> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
  const std::optional<unsigned> literals = reader.bits(5), distances = reader.bits(5), length_codes = reader.bits(4);
  if (!length_codes || *literals > 29 || *distances > 29) return false;
  std::array<std::uint8_t, num_length_codes> code_lengths{};
  for (std::size_t i = 0; i < *length_codes + 4; ++i) {
    const std::optional<unsigned> length = reader.bits(3);
    if (!length) return false;
    code_lengths[order[i]] = static_cast<std::uint8_t>(*length);
  }
  PrefixCode code;
  if (!code.build(code_lengths.data(), code_lengths.size())) return false;
  const std::size_t num_literals = *literals + first_length, num_distances = *distances + 1;
  std::vector<std::uint8_t> lengths;
  if (!read_lengths(reader, code, lengths, num_literals + num_distances) || lengths[end_of_block] == 0) return false;
  return codes.literals.build(lengths.data(), num_literals) &&
         codes.distances.build(lengths.data() + num_literals, num_distances);
}

// Copies what stands before. False where that is before the beginning.
bool copy_match(BitReader& reader, const BlockCodes& codes, unsigned symbol, std::vector<std::uint8_t>& out) {
  constexpr std::array<std::uint16_t, 29> bases = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr unsigned last_length = 28;
  const unsigned number = symbol - first_length;
  if (number >= bases.size()) return false;
  const unsigned extra = number < 8 || number == last_length ? 0 : (number - 4) / 4;
  const std::optional<unsigned> more = reader.bits(extra);
  const std::optional<unsigned> distance_symbol = more ? codes.distances.next(reader) : std::nullopt;
  if (!distance_symbol || *distance_symbol > 29) return false;
  const unsigned distance_bits = *distance_symbol < 4 ? 0 : *distance_symbol / 2 - 1;
  const std::optional<unsigned> more_distance = reader.bits(distance_bits);
  if (!more_distance) return false;
  const std::size_t base = *distance_symbol < 4 ? *distance_symbol + 1 : ((2U + *distance_symbol % 2) << distance_bits) + 1;
  const std::size_t distance = base + *more_distance;
  if (distance > out.size()) return false;
  for (unsigned i = 0; i < bases[number] + *more; ++i) out.push_back(out[out.size() - distance]);
  return true;
}

bool inflate_block(BitReader& reader, const BlockCodes& codes, std::vector<std::uint8_t>& out, std::size_t most_bytes) {
  while (out.size() < most_bytes) {
    const std::optional<unsigned> symbol = codes.literals.next(reader);
    if (!symbol) return !out.empty();
    if (*symbol == end_of_block) return true;
    if (*symbol < end_of_block) {
      out.push_back(static_cast<std::uint8_t>(*symbol));
    } else if (!copy_match(reader, codes, *symbol, out)) {
      return false;
    }
  }
  return true;
}

// A block that is not compressed: its length, the same with all bits changed, and its bytes.
std::optional<std::vector<std::uint8_t>> stored_beginning(Bytes block, std::size_t most_bytes) {
  constexpr std::size_t header_bytes = 5;
  if (block.size() <= header_bytes) return std::nullopt;
  const unsigned length = block[1] | unsigned{block[2]} << 8, inverse = block[3] | unsigned{block[4]} << 8;
  if ((length ^ inverse) != 0xffff) return std::nullopt;
  const Bytes content = block.subspan(header_bytes);
  const Bytes taken = content.first(std::min({content.size(), std::size_t{length}, most_bytes}));
  return std::vector<std::uint8_t>(taken.begin(), taken.end());
}

}  // namespace

std::optional<std::vector<std::uint8_t>> inflate_beginning(Bytes deflated, std::size_t most_bytes) {
  BitReader reader(deflated);
  const std::optional<unsigned> is_last = reader.bits(1), kind = reader.bits(2);
  if (!is_last || !kind) return std::nullopt;
  if (*kind == 0) return stored_beginning(deflated, most_bytes);
  BlockCodes codes;
  const bool is_built = *kind == 1 ? build_fixed(codes) : *kind == 2 && build_dynamic(reader, codes);
  std::vector<std::uint8_t> out;
  if (!is_built || !inflate_block(reader, codes, out, most_bytes) || out.empty()) return std::nullopt;
  out.resize(std::min(out.size(), most_bytes));
  return out;
}

}  // namespace phalanx
