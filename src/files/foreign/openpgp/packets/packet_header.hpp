// This reads the headers of OpenPGP's packets, byte by byte (RFC 9580, section 4.2).
#pragma once

#include <cstdint>

namespace phalanx {

/// These are the types of packets that stand in or around an encrypted message (RFC 9580, section 5). Tag 20 is GnuPG's.
namespace packet_tags {
enum PacketTag : unsigned {
  public_session_key = 1,
  signature = 2,
  passphrase_session_key = 3,
  one_pass_signature = 4,
  compressed = 8,
  encrypted = 9,
  marker = 10,
  literal = 11,
  encrypted_with_integrity = 18,
  modification_detection = 19,
  encrypted_by_gnupg = 20,
  padding = 21
};
}  // namespace packet_tags

class PacketHeader {
 public:
  /// Takes the next byte. Returns whether the header is whole then. Throws Error (format) for a byte that begins no packet.
  bool take(std::uint8_t byte);

  /// Begins with the length of the next part, of a body that is in parts and whose part was read.
  void begin_next_part();

  [[nodiscard]] bool has_begun() const { return has_tag_; }
  [[nodiscard]] unsigned tag() const { return tag_; }
  /// Returns whether a length is said. Otherwise the body ends with the stream.
  [[nodiscard]] bool has_length() const { return has_length_; }
  /// Returns the bytes of the body, or of its part.
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }
  /// Returns whether another part follows this one.
  [[nodiscard]] bool is_followed() const { return is_followed_; }

 private:
  bool take_tag(std::uint8_t byte);
  bool take_first_of_length(std::uint8_t byte);

  bool has_tag_ = false, has_length_ = true, is_followed_ = false;
  bool is_first_of_length_ = false;  // that comes next
  unsigned tag_ = 0;
  unsigned num_to_come_ = 0;  // bytes of the length
  std::uint64_t added_ = 0;   // to the number that they are
  std::uint64_t num_bytes_ = 0;
};

}  // namespace phalanx
