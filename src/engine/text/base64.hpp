// Base64 (RFC 4648 section 4) as a stream, in lines as `openssl enc -a` writes them. Only for ciphertext and other public
// data, since it looks up tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// Encodes a stream into lines of 64 characters, each ended by LF; the last may be shorter. An empty stream has no line.
class Base64Encoder {
 public:
  static constexpr std::size_t line_characters = 64;

  /// The most bytes that update with `in_bytes` of input writes.
  [[nodiscard]] static constexpr std::size_t max_update_bytes(std::size_t in_bytes) {
    const std::size_t characters = (in_bytes + 2) / 3 * 4;
    return characters + characters / line_characters + 1;
  }
  /// The most bytes that finish writes: a last group of four and a line end.
  static constexpr std::size_t max_finish_bytes = 5;

  /// Takes the next part of the stream, of any size. `out` has at least max_update_bytes(in.size()) bytes and is disjoint
  /// from `in`. Returns the bytes written to it.
  std::size_t update(Bytes in, MutableBytes out);

  /// Ends the stream. `out` has at least max_finish_bytes. Returns the bytes written to it; the encoder can begin another.
  std::size_t finish(MutableBytes out);

 private:
  std::size_t put_group(const std::uint8_t* three_bytes, std::uint8_t* out);

  std::array<std::uint8_t, 3> pending_{};  // bytes that are not a whole group of three yet
  std::size_t num_pending_ = 0;
  std::size_t column_ = 0;
};

/// Decodes a stream of base64 in lines of any length, or in none (`openssl enc -A`). Spaces, tabs, CR and LF are skipped
/// wherever they stand.
class Base64Decoder {
 public:
  /// The most bytes that update with `in_bytes` of input writes.
  [[nodiscard]] static constexpr std::size_t max_update_bytes(std::size_t in_bytes) { return in_bytes / 4 * 3 + 3; }

  /// Takes the next part of the stream, of any size. `out` has at least max_update_bytes(in.size()) bytes and is
  /// disjoint from `in`. Returns the bytes written to it. Throws Error (format), which names the place of a fault.
  /// Faults are a character outside the alphabet, padding that is misplaced or whose spare bits are not zero, and
  /// anything but white space after padding.
  std::size_t update(Bytes in, MutableBytes out);

  /// Ends the stream. Throws Error (truncated) if it ends inside a group of four characters.
  void finish() const;

 private:
  void put_character(std::uint8_t character);
  std::size_t take_group(std::uint8_t* out);

  std::uint32_t group_ = 0;      // the bits of the group read so far
  unsigned num_characters_ = 0;  // of the group, '=' included
  unsigned num_equals_ = 0;      // '=' read; once it is not 0, the stream ends with this group
  std::uint64_t position_ = 0;   // bytes read before this one
};

}  // namespace phalanx
