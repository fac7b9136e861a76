// This reads a structure in BER or DER (X.690) from a stream, from its beginning to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "files/system/byte_stream.hpp"

namespace phalanx {

/// These are the identifier octets that are read here (X.690, section 8.1.2). No number of a tag is above 30.
namespace ber {
inline constexpr std::uint8_t integer = 0x02, bit_string = 0x03, octet_string = 0x04, null = 0x05, object_id = 0x06,
                              sequence = 0x30, set = 0x31, constructed_bit = 0x20;
/// Returns the octet of a tag of class "context-specific".
[[nodiscard]] constexpr std::uint8_t context(std::uint8_t number, bool is_constructed) {
  return static_cast<std::uint8_t>(0x80 | (is_constructed ? constructed_bit : 0) | number);
}
}  // namespace ber

/// Holds what stands before an element's content.
struct BerHeader {
  std::uint8_t tag = 0;
  std::optional<std::uint64_t> num_bytes{};  ///< of the content; nothing: up to an end mark

  [[nodiscard]] bool is_constructed() const { return (tag & ber::constructed_bit) != 0; }
};

/// This source can pass over a part without reading it.
class SkippingSource : public ByteSource {
 public:
  virtual void skip(std::uint64_t num_bytes) = 0;
};

/// Reads elements in their order. Every length is held to what encloses it, whatever it says. Throws Error: truncated, where
/// the stream ends within an element; format, where the structure is none, is deeper than most_depth, or its small elements
/// are larger together than most_small_bytes. `name` is the file's, for messages.
class BerStream {
 public:
  static constexpr std::size_t most_depth = 32;
  static constexpr std::size_t most_small_bytes = std::size_t{16} << 20;

  /// The source stays the caller's. `skipping` is the same source where it can pass over its bytes.
  BerStream(ByteSource& source, std::string name, SkippingSource* skipping = nullptr);

  /// Returns how many bytes were read or passed over.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Returns whether the innermost open element says how long it is, and where it ends at most, as a position.
  [[nodiscard]] bool is_definite() const { return open_.back().is_definite; }
  [[nodiscard]] std::uint64_t end() const { return open_.back().end; }

  /// Returns whether the innermost open element has no more content.
  [[nodiscard]] bool is_at_end();
  /// Returns whether an element with this tag follows.
  [[nodiscard]] bool is_next(std::uint8_t tag);

  /// Reads the header of the next element.
  [[nodiscard]] BerHeader read_header();
  /// Begins the content of a constructed element whose header was read.
  void open(const BerHeader& header);
  /// Reads the header of an element that must have this tag, and begins its content. `what` is for messages: "the
  /// recipients".
  void enter(std::uint8_t tag, const char* what);
  /// Ends the innermost open element, which must have no more content.
  void leave();
  /// Passes over what the innermost open element still has, and ends it.
  void leave_early();

  /// Reads a whole small element, and returns it with definite lengths of the shortest form, as DER has them.
  [[nodiscard]] std::vector<std::uint8_t> take_element();
  /// Reads the next bytes of a content that has them.
  void read(MutableBytes out);
  /// Passes over the next bytes of a content that has them.
  void skip(std::uint64_t num_bytes);

  /// Throw Error, whose words are of the structure: format, where it is wrong; truncated, where it ends too early.
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void refuse_end() const;

 private:
  struct OpenElement {
    std::uint64_t end = 0;  // no content goes beyond it
    bool is_definite = true;
  };

  [[nodiscard]] std::uint64_t bytes_to_end() const;
  [[nodiscard]] bool fill(std::size_t num_bytes);
  [[nodiscard]] std::uint8_t take_byte();
  [[nodiscard]] bool is_end_mark_next();
  [[nodiscard]] std::uint64_t read_long_length(std::uint8_t first);
  void count_small(std::uint64_t num_bytes);
  void append_element(std::vector<std::uint8_t>& out);

  ByteSource& source_;
  SkippingSource* skipping_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in the buffer and was not taken
  bool has_ended_ = false;           // the source
  std::uint64_t position_ = 0;
  std::uint64_t small_bytes_ = 0;
  std::vector<OpenElement> open_;
};

}  // namespace phalanx
