// What a plaintext is recognised as, for any bytes: never read beyond their end, and text is what UTF-8 says.
#include <algorithm>
#include <cstring>

#include "files/migration/png_sums.hpp"
#include "files/recognition/plaintext_kind.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

// Straight from RFC 3629: the code point's bits, and the least that so many bytes may hold.
bool is_text(Bytes bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint8_t first = bytes[at];
    const std::size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (size == 0 || bytes.size() - at < size) return false;
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    std::uint32_t point = size == 1 ? first : first & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
      if (bytes[at + i] >> 6 != 2) return false;
      point = point << 6 | (bytes[at + i] & 0x3fU);
    }
    if (point < least[size] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
    if (point == 0x7f || (point < 0x20 && std::strchr("\t\n\f\r", static_cast<int>(point)) == nullptr)) return false;
    if (point == 0) return false;
    at += size;
  }
  return true;
}

bool begins_as_png(Bytes bytes) {
  constexpr std::uint8_t begin[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return bytes.size() >= sizeof(begin) && std::ranges::equal(bytes.first(sizeof(begin)), begin);
}

// However the bytes are cut into parts.
void require_same_png_sums(Bytes bytes) {
  PngSums whole, by_bytes;
  whole.add(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) by_bytes.add(bytes.subspan(i, 1));
  require(whole.are_right() == by_bytes.are_right() && whole.are_wrong() == by_bytes.are_wrong(),
          "sums of parts are those of the whole");
  require(!whole.are_right() || begins_as_png(bytes), "an image begins as one");
}

// Longer parts are looked at in places, of which all are text where all of it is.
void check_long_part(const Buffer& bytes) {
  constexpr std::size_t num_repeated = 70000;
  Buffer all;
  while (all.size() < num_repeated) all.insert(all.end(), bytes.begin(), bytes.end());
  const bool is_long_text = is_text_at_sixteen_places(all, {.first = true, .last = true});
  require(is_long_text || !is_text(bytes), "text is text at all places");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  const Buffer bytes(data, data + size);  // of exactly this size, for AddressSanitizer
  const char* whole = recognise_plaintext(bytes, true);
  const char* beginning = recognise_plaintext(bytes, false);
  const auto is = [](const char* kind, const char* other) { return kind != nullptr && std::strcmp(kind, other) == 0; };
  if (is(whole, "text")) require(size >= 32 && is_text(bytes), "text is UTF-8 and not short");
  if (whole == nullptr) require(size < 32 || !is_text(bytes), "and all UTF-8 is text");
  require(whole == nullptr || beginning == whole, "what is recognised as a whole is recognised by its beginning");
  require(beginning == nullptr || whole != nullptr || is(beginning, "text"),
          "of which only text may end within a character");
  if (size != 0 && size <= recognised_from_bytes) {
    require(is_text_at_sixteen_places(bytes, {.first = true, .last = true}) == is_text(bytes),
            "short parts are looked at throughout");
  }
  if (size % 256 == 65) check_long_part(bytes);  // some of them, since they take longer
  for (const bool is_whole : {false, true}) {
    for (const std::size_t block_bytes : {8, 16}) static_cast<void>(begins_beyond_chance(bytes, block_bytes, is_whole));
  }
  require(!text_ends_as_padding(bytes) || bytes.back() <= 16, "padding is a block at most");
  require_same_png_sums(bytes);
  return 0;
}
