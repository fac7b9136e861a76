// This reads the fields of a short element in memory, in definite lengths, as BerStream::take_element gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <vector>

namespace phalanx {

/// Takes one field after another. The memory stays the caller's. Throws Error (format) where a field is not there or is
/// another.
class DerFields {
 public:
  explicit DerFields(Bytes content) : left_(content) {}

  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  [[nodiscard]] bool is_next(std::uint8_t tag) const { return !left_.empty() && left_.front() == tag; }

  /// Returns the content of the next element, which must have this tag.
  Bytes take(std::uint8_t tag);
  /// Returns the content of the next element if that has this tag; else takes nothing.
  std::optional<Bytes> take_if(std::uint8_t tag);
  /// Returns the next element with what stands before its content.
  Bytes take_whole();

  /// Returns the octets of an octet string with this tag, which may be in pieces (X.690, section 8.7).
  std::vector<std::uint8_t> take_octets(std::uint8_t primitive_tag);
  /// Returns a non-negative INTEGER of at most 8 bytes.
  std::uint64_t take_number();

  /// Throws Error (format) where more follows.
  void require_end() const;

 private:
  struct Element {
    Bytes whole, content;
  };
  [[nodiscard]] Element next() const;

  Bytes left_;
};

}  // namespace phalanx
