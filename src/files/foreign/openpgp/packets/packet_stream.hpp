// This reads packets of OpenPGP one after another from a stream (RFC 9580, section 4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/foreign/openpgp/packets/packet_header.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// As a source it gives the body of the packet, whatever parts it is in.
class PacketStream : public ByteSource {
 public:
  /// The source stays the caller's; `name` is for messages.
  PacketStream(ByteSource& source, const std::string& name) : source_(source), name_(name) {}

  /// Reads the header of the next packet. The body of the one before was read. Returns false at the end. Throws Error:
  /// truncated, and format for what is no packet.
  bool next();

  [[nodiscard]] unsigned tag() const { return header_.tag(); }
  /// Returns whether the body is one row of bytes, which begins at position().
  [[nodiscard]] bool is_in_one_piece() const { return !is_in_parts_; }
  [[nodiscard]] bool has_length() const { return header_.has_length(); }
  /// Returns the bytes of the body, or of this part of it, that are left.
  [[nodiscard]] std::uint64_t num_left() const { return num_left_; }
  /// Returns how many bytes of the source were read.
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// Reads the next bytes of the body. Throws Error (truncated) where the source ends before it.
  std::size_t read(MutableBytes out) override;

  /// Returns the rest of the body. Throws Error (format) where it is longer than any of its kind, and as read does.
  [[nodiscard]] std::vector<std::uint8_t> take_body();
  void skip_body();

 private:
  [[nodiscard]] bool read_header();
  [[nodiscard]] bool begin_next_part();
  [[noreturn]] void refuse_end() const;

  ByteSource& source_;
  const std::string& name_;
  PacketHeader header_;
  bool is_in_parts_ = false;
  std::uint64_t num_left_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace phalanx
