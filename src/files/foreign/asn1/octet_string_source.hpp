// This gives the octets of an OCTET STRING of any length, in one piece or in many (X.690, section 8.7).
#pragma once

#include <cstdint>
#include <optional>

#include "files/foreign/asn1/ber_stream.hpp"

namespace phalanx {

class OctetStringSource : public ByteSource {
 public:
  /// Reads the header of the string, which is next in the stream and has this tag, or that of such a string in pieces. The
  /// stream stays the caller's, and stands behind the string once all of it was read.
  OctetStringSource(BerStream& stream, std::uint8_t primitive_tag);

  /// Returns the size of a string that is in one piece.
  [[nodiscard]] const std::optional<std::uint64_t>& num_bytes() const { return num_bytes_; }

  std::size_t read(MutableBytes out) override;

  /// Passes over a string in one piece, of which nothing was read.
  void skip();
  /// Passes over one in many pieces, of which nothing was read: so many bytes of the stream, which are all but its end mark.
  void skip_pieces(std::uint64_t raw_bytes);

  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  bool begin_piece();

  BerStream& stream_;
  std::optional<std::uint64_t> num_bytes_;
  std::uint64_t piece_left_ = 0;
  std::size_t depth_ = 0;  // of pieces of pieces
  bool has_ended_ = false;
};

}  // namespace phalanx
