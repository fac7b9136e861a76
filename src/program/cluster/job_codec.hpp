// Numbers and strings of bytes, as ranks send them to each other.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/secrets/secret_bytes.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {

/// Numbers and strings of bytes, one after another, in memory that is wiped: the description of a job holds keys.
class JobEncoder {
 public:
  void put(std::uint64_t number);
  template <class Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) { put(static_cast<std::uint64_t>(value)); }
  void put(Bytes bytes);
  void put(std::string_view text) { put(bytes_of(text)); }
  [[nodiscard]] Bytes bytes() const { return Bytes(memory_).first(size_); }

 private:
  void append(Bytes bytes);

  SecretBytes memory_;
  std::size_t size_ = 0;
};

/// Longer than any file, and short enough that two such numbers and a piece have a sum.
inline constexpr std::uint64_t most_job_bytes = std::uint64_t{1} << 61;

/// Reads the bytes of a JobEncoder, or of somebody in its place. No number is taken for a size, a place or a choice
/// before it was checked. Throws Error (runtime) where the bytes do not hold what is asked for.
class JobDecoder {
 public:
  /// The bytes stay the caller's.
  explicit JobDecoder(Bytes bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::uint64_t number_up_to(std::uint64_t most);
  bool flag();
  /// Reads a value of the enumeration, up to `last`.
  template <class Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(number_up_to(static_cast<std::uint64_t>(last)));
  }
  ErrorCode error_code();
  Bytes bytes();  ///< a part of what was given
  Bytes bytes_of(std::size_t size);
  std::string text();

  /// Checks that nothing else was written.
  void finish() const;

  /// Throws the Error for bytes that are not ours.
  [[noreturn]] static void refuse();

 private:
  Bytes take(std::size_t size);

  Bytes rest_;
};

}  // namespace phalanx
