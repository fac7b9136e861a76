#include "files/foreign/luks/luks_volume.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string>

#include "engine/library/argument_checks.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

std::string name_of(const LuksSegment& segment) { return "segment " + std::to_string(segment.number); }

std::size_t largest_sector(const LuksHeader& header) {
  std::size_t largest = luks_sector_bytes;
  for (const LuksSegment& segment : header.segments) largest = std::max(largest, segment.sector_bytes);
  return largest;
}

// Returns the bytes of a segment, which are whole sectors: a file's bytes behind its last whole sector belong to none.
std::uint64_t segment_bytes(const LuksSegment& segment, const VolumeBytes& data) {
  const std::uint64_t there = data.num_bytes() - std::min(data.num_bytes(), segment.offset);
  if (there == 0) {
    throw Error(ErrorCode::truncated,
                data.name() + " has no data: they begin behind " + std::to_string(segment.offset) + " bytes, and it has " +
                    text_of(data.num_bytes()) + ": if it is the header alone, name the file with the data too",
                {.name = data.name()});
  }
  if (!segment.num_bytes) return there / segment.sector_bytes * segment.sector_bytes;
  if (*segment.num_bytes > there) {
    throw Error(ErrorCode::truncated,
                data.name() + " is cut short: " + name_of(segment) + " has " + text_of(*segment.num_bytes) +
                    " behind byte " + std::to_string(segment.offset) + ", and " + std::to_string(there) + " are there",
                {.name = data.name()});
  }
  if (*segment.num_bytes % segment.sector_bytes != 0) throw_damaged_luks(data, name_of(segment) + " ends within a sector");
  return *segment.num_bytes;
}

}  // namespace

void require_readable(const LuksHeader& header, const VolumeBytes& bytes) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::format, bytes.name() + " " + why, {.name = bytes.name()});
  };
  if (!header.refusal.empty()) refuse(header.refusal);
  for (const LuksSegment& segment : header.segments) {
    const auto is_sound = [](const LuksSlot& slot) { return slot.problem.empty(); };
    const auto slot = std::ranges::find_if(header.slots, is_sound);
    if (slot == header.slots.end()) break;
    const std::string refusal = refuse_luks_cipher(segment.encryption, slot->volume_key_bytes);
    if (!refusal.empty()) refuse(refusal);
  }
}

std::uint64_t volume_bytes_of(const LuksHeader& header, const VolumeBytes& data) {
  const std::size_t unit = largest_sector(header);
  std::uint64_t sum = 0;
  for (const LuksSegment& segment : header.segments) {
    const bool is_last = &segment == &header.segments.back();
    if (!segment.num_bytes && !is_last) throw_damaged_luks(data, name_of(segment) + " has no end, and others follow it");
    const std::uint64_t num_bytes = segment_bytes(segment, data);
    if (!is_last && num_bytes % unit != 0)
      throw_damaged_luks(data, name_of(segment) + " ends within a sector of another segment");
    if (__builtin_add_overflow(sum, num_bytes, &sum)) throw_damaged_luks(data, "its segments have more than 2^64 bytes");
  }
  return sum;
}

LuksVolume::LuksVolume(const LuksHeader& header, Bytes volume_key, const VolumeBytes& data, const EngineOptions& options)
    : data_(data), num_bytes_(volume_bytes_of(header, data)), unit_bytes_(largest_sector(header)) {
  require_readable(header, data);
  std::uint64_t begin = 0;
  for (const LuksSegment& segment : header.segments) {
    segments_.push_back(
        {.begin = begin,
         .num_bytes = segment_bytes(segment, data),
         .data_offset = segment.offset,
         .first_iv_sector = segment.first_iv_sector,
         .cipher = std::make_unique<const LuksCipher>(segment.encryption, volume_key, segment.sector_bytes, options)});
    begin += segments_.back().num_bytes;
  }
}

// Calls visit(segment, offset in it, part) for what lies in each of the segments.
template <class Visit>
void LuksVolume::for_each_segment(std::uint64_t offset, MutableBytes part, const Visit& visit) const {
  for (const Segment& segment : segments_) {
    if (part.empty()) return;
    if (offset >= segment.begin + segment.num_bytes) continue;
    const std::uint64_t within = offset - segment.begin;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), segment.num_bytes - within));
    visit(segment, within, part.first(size));
    offset += size;
    part = part.subspan(size);
  }
  if (!part.empty()) throw Error(ErrorCode::usage, "a part of a volume ends behind it");
}

void LuksVolume::read_ciphertext(std::uint64_t offset, MutableBytes out) const {
  for_each_segment(offset, out, [&](const Segment& segment, std::uint64_t within, MutableBytes part) {
    data_.read(segment.data_offset + within, part);
  });
}

void LuksVolume::decrypt(std::uint64_t offset, MutableBytes text) const {
  for_each_segment(offset, text, [&](const Segment& segment, std::uint64_t within, MutableBytes part) {
    segment.cipher->decrypt(segment.first_iv_sector + within / luks_sector_bytes, part);
  });
}

void LuksVolume::read_within_unit(std::uint64_t offset, MutableBytes out) const {
  const std::uint64_t begin = offset / unit_bytes_ * unit_bytes_;
  SecretBytes unit(static_cast<std::size_t>(std::min<std::uint64_t>(unit_bytes_, num_bytes_ - begin)));
  read_ciphertext(begin, unit);
  decrypt(begin, unit);
  std::ranges::copy(Bytes(unit).subspan(static_cast<std::size_t>(offset - begin), out.size()), out.begin());
}

void LuksVolume::read(std::uint64_t offset, MutableBytes out) const {
  const std::size_t before = static_cast<std::size_t>((unit_bytes_ - offset % unit_bytes_) % unit_bytes_);
  const MutableBytes head = out.first(std::min(before, out.size()));
  if (!head.empty()) read_within_unit(offset, head);
  offset += head.size();
  out = out.subspan(head.size());
  const bool ends_volume = offset + out.size() == num_bytes_;
  const MutableBytes whole = ends_volume ? out : out.first(out.size() / unit_bytes_ * unit_bytes_);
  read_ciphertext(offset, whole);
  decrypt(offset, whole);
  const MutableBytes tail = out.subspan(whole.size());
  if (!tail.empty()) read_within_unit(offset + whole.size(), tail);
}

}  // namespace phalanx
