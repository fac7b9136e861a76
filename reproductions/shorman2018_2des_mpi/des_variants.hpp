// Both readings of the paper's DES: by which of them a run crypts.
#pragma once

#include <algorithm>

#include "reproductions/shorman2018_2des_mpi/bit_array_2des.hpp"
#include "reproductions/shorman2018_2des_mpi/rank_work.hpp"

namespace papers::shorman2018 {

struct DesVariant {
  const char* encryption_table;    ///< of the results; "2" is the paper's
  const char* decryption_table;    ///< nullptr: not measured
  std::size_t largest_encryption;  ///< files up to so many bytes
  std::size_t largest_decryption;
  void (*crypt)(Bytes key, Direction direction, Bytes in, MutableBytes out);
};

/// Bit after bit, in machine words: files up to the text's 16 MB.
inline constexpr DesVariant by_words = {"2", "decryption", last_bytes, mebibyte,
                                        [](Bytes key, Direction direction, Bytes in, MutableBytes out) {
                                          crypt_ecb(make_double_key(key.first<key_bytes>()), direction, in, out);
                                        }};

/// Arrays of a number a bit, unoptimised: nearly as slow as the paper's. The sizes of table 2.
inline constexpr DesVariant by_bit_arrays = {"2_bit_arrays", nullptr, mebibyte, 0, crypt_ecb_by_bit_arrays};

/// No cipher: what goes before a measurement, uncounted. The same files, memory and messages, and no time spent.
inline constexpr DesVariant by_nothing = {nullptr, nullptr, 0, 0, [](Bytes, Direction, Bytes in, MutableBytes out) {
                                            std::copy(in.begin(), in.end(), out.begin());
                                          }};

[[nodiscard]] inline std::size_t largest(const DesVariant& variant, Direction direction) {
  return direction == Direction::encrypt ? variant.largest_encryption : variant.largest_decryption;
}

/// What a run measures: `--tables SUFFIX`, which is put behind the names of its tables, and `--most BYTES` of a file.
struct Wanted {
  explicit Wanted(const Arguments& arguments)
      : suffix(arguments.text("--tables", "")),
        most(static_cast<std::size_t>(arguments.number("--most", static_cast<long>(last_bytes)))) {}

  [[nodiscard]] std::size_t largest_of(const DesVariant& variant, Direction direction) const {
    return std::min(most, largest(variant, direction));
  }

  std::string suffix;
  std::size_t most;
};

[[nodiscard]] inline const char* table_of(const DesVariant& variant, Direction direction) {
  return direction == Direction::encrypt ? variant.encryption_table : variant.decryption_table;
}

}  // namespace papers::shorman2018
