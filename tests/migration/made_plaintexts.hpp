// Plaintexts of the kinds that people keep, made from a seed.
#pragma once

#include <random>
#include <span>
#include <string_view>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {

using Random = std::mt19937_64;

/// Anything but "noise" has its format's beginning and end; what is packed inside is noise.
struct PlaintextKind {
  std::string_view name;
  std::size_t least_bytes;
  std::size_t unit_bytes;  ///< its length is a multiple of this
  Buffer (*make)(std::size_t num_bytes, Random& random);
};

[[nodiscard]] std::span<const PlaintextKind> all_plaintext_kinds();

[[nodiscard]] Buffer random_bytes(std::size_t num_bytes, Random& random);

/// At random in [least, most].
[[nodiscard]] std::size_t random_number(std::size_t least, std::size_t most, Random& random);

/// Lengths around the boundaries of blocks, sectors, what is looked at, and pieces, and others; half of them are short.
/// `most_bytes` is rarely reached.
[[nodiscard]] std::size_t random_length(std::size_t most_bytes, Random& random);

}  // namespace phalanx::test
