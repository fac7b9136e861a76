#include "files/foreign/openpgp/packets/content_packets.hpp"

#include <algorithm>
#include <limits>
#include <phalanx/error.hpp>
#include <string>

namespace phalanx {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::format, what); }

}  // namespace

ContentPackets::ContentPackets(ByteSink& content, bool is_compressed) : content_(content), is_compressed_(is_compressed) {}

ContentPackets::~ContentPackets() = default;

bool ContentPackets::is_signed() const { return is_signed_ || (compressed_ && compressed_->is_signed()); }

void ContentPackets::write(Bytes in) {
  while (!in.empty()) {
    if (!is_in_body_) {
      if (header_.take(in.front())) begin_body();
      in = in.subspan(1);
      continue;
    }
    const Bytes part = in.first(static_cast<std::size_t>(std::min<std::uint64_t>(num_left_, in.size())));
    take_body(part);
    if (header_.has_length()) num_left_ -= part.size();
    in = in.subspan(part.size());
    if (num_left_ == 0) end_body();
  }
}

void ContentPackets::begin_body() {
  is_in_body_ = true;
  num_left_ = header_.has_length() ? header_.num_bytes() : std::numeric_limits<std::uint64_t>::max();
  switch (header_.tag()) {
    case packet_tags::literal:
    case packet_tags::compressed:
      if (header_.tag() == packet_tags::compressed && is_compressed_) refuse("its compressed content is compressed again");
      break;
    case packet_tags::signature:
    case packet_tags::one_pass_signature:
      is_signed_ = true;
      break;
    case packet_tags::marker:
    case packet_tags::padding:
      break;
    default:
      refuse("its content has a packet of type " + std::to_string(header_.tag()) + ", which is none of a message");
  }
  if (num_left_ == 0) end_body();
}

// The body ends, or its part.
void ContentPackets::end_body() {
  is_in_body_ = false;
  if (header_.is_followed()) {
    header_.begin_next_part();
    return;
  }
  constexpr std::uint64_t fewest_literal_bytes = 6;
  if (header_.tag() == packet_tags::literal) {
    if (num_taken_ < fewest_literal_bytes + name_bytes_) refuse("its literal packet is too short");
    has_literal_ = true;
  } else if (header_.tag() == packet_tags::compressed) {
    if (!compressed_ || !decompression_->is_whole()) refuse("its compressed data end too early");
    compressed_->finish();
    has_literal_ = true;
  }
  header_ = PacketHeader();
}

void ContentPackets::take_body(Bytes part) {
  const bool has_content = header_.tag() == packet_tags::literal || header_.tag() == packet_tags::compressed;
  if (has_content && has_literal_) refuse("it has more than one content");
  if (header_.tag() == packet_tags::literal) return take_literal(part);
  if (header_.tag() == packet_tags::compressed) return take_compressed(part);
}

// Section 5.9: a letter for the format, a name behind its size, and a date of four bytes.
void ContentPackets::take_literal(Bytes part) {
  constexpr std::uint64_t bytes_before_name = 2, date_bytes = 4;
  for (; !part.empty() && num_taken_ < bytes_before_name; part = part.subspan(1), ++num_taken_) {
    if (num_taken_ == 0) is_text_ = part.front() == 't' || part.front() == 'u';
    if (num_taken_ == 1) name_bytes_ = part.front();
  }
  const std::uint64_t before = bytes_before_name + name_bytes_ + date_bytes;
  const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), before - std::min(before, num_taken_)));
  num_taken_ += part.size();
  part = part.subspan(passed);
  if (part.empty()) return;
  is_text_ ? take_text(part) : content_.write(part);
}

// GnuPG leaves every CR of a text out.
void ContentPackets::take_text(Bytes part) {
  while (!part.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find(part, std::uint8_t{'\r'}) - part.begin());
    if (end != 0) content_.write(part.first(end));
    part = part.subspan(std::min(end + 1, part.size()));
  }
}

void ContentPackets::take_compressed(Bytes part) {
  if (!decompression_) {
    if (part.empty()) return;
    decompression_ = make_decompression(part.front());
    compressed_ = std::make_unique<ContentPackets>(content_, true);
    part = part.subspan(1);
  }
  decompression_->write(part, *compressed_);
}

void ContentPackets::finish() {
  const bool ends_with_stream = is_in_body_ && !header_.has_length();
  if (ends_with_stream) end_body();
  if (is_in_body_ || header_.has_begun()) refuse("its content ends within a packet");
  if (!has_literal_) refuse("it has no content");
}

}  // namespace phalanx
