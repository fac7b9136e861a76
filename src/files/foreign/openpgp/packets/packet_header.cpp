#include "files/foreign/openpgp/packets/packet_header.hpp"

#include <phalanx/error.hpp>

namespace phalanx {
namespace {

// These are bits of the first byte, and bounds of the first byte of a length (section 4.2.1).
constexpr unsigned is_packet = 0x80, is_new_format = 0x40;
constexpr unsigned two_bytes = 192, first_of_parts = 224, four_bytes = 255;

[[noreturn]] void refuse_beginning() { throw Error(ErrorCode::format, "a packet was to begin, and no packet begins so"); }

}  // namespace

bool PacketHeader::take(std::uint8_t byte) {
  if (!has_tag_) return take_tag(byte);
  if (is_first_of_length_) return take_first_of_length(byte);
  num_bytes_ = num_bytes_ << 8 | byte;
  if (--num_to_come_ != 0) return false;
  num_bytes_ += added_;
  return true;
}

bool PacketHeader::take_tag(std::uint8_t byte) {
  if ((byte & is_packet) == 0) refuse_beginning();
  has_tag_ = true;
  if ((byte & is_new_format) != 0) {
    tag_ = byte & 0x3fU;
    is_first_of_length_ = true;
  } else {
    constexpr unsigned without_length = 3;
    tag_ = byte >> 2 & 0xfU;
    const unsigned kind = byte & 3U;
    has_length_ = kind != without_length;
    num_to_come_ = has_length_ ? 1U << kind : 0;
  }
  if (tag_ == 0) refuse_beginning();
  return !has_length_;
}

bool PacketHeader::take_first_of_length(std::uint8_t byte) {
  is_first_of_length_ = false;
  num_bytes_ = byte;
  if (byte < two_bytes) return true;
  if (byte < first_of_parts) {
    num_bytes_ = byte - two_bytes;
    added_ = two_bytes;
    num_to_come_ = 1;
    return false;
  }
  if (byte == four_bytes) {
    num_bytes_ = 0;
    num_to_come_ = 4;
    return false;
  }
  num_bytes_ = std::uint64_t{1} << (byte & 0x1fU);
  is_followed_ = true;
  return true;
}

void PacketHeader::begin_next_part() {
  is_first_of_length_ = true;
  is_followed_ = false;
  num_bytes_ = added_ = 0;
}

}  // namespace phalanx
