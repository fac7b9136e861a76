#include "files/recognition/plaintext_kind.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/utf8.hpp"

namespace phalanx {
namespace {

constexpr std::size_t shortest_text_bytes = 32;  // random bytes are text of this length less than once in 2^32 times

std::uint32_t big_endian_32(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool has(Bytes data, std::size_t offset, std::string_view text) {
  return data.size() >= offset + text.size() &&
         std::equal(text.begin(), text.end(), data.begin() + static_cast<std::ptrdiff_t>(offset),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Returns how many bytes of UTF-8 one character takes here, and 0 for control characters but tab, LF, FF and CR.
std::size_t character_bytes(Bytes text) {
  const std::uint8_t first = text[0];
  const bool control = (first < 0x20 && first != '\t' && first != '\n' && first != '\f' && first != '\r') || first == 0x7f;
  return control ? 0 : utf8_character_bytes(text);
}

bool is_all_characters(Bytes text, bool may_be_cut) {
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    if (size == 0) return may_be_cut && text.size() < 4 && text[0] >= 0xc2;  // cut within a character
    text = text.subspan(size);
  }
  return true;
}

bool is_long_text(Bytes beginning, bool whole) {
  return beginning.size() >= shortest_text_bytes && is_all_characters(beginning, !whole);
}

// POSIX.1-1988, "ustar": the magic, a name, and the header's checksum, which is the sum of its bytes with spaces in its own
// place. Without a look at the name one wrong block of 8 bytes would leave the sum right once in 900 times.
bool is_tar(Bytes data) {
  constexpr std::size_t header_bytes = 512, name_bytes = 100, checksum_offset = 148, checksum_bytes = 8;
  if (data.size() < header_bytes || !has(data, 257, "ustar")) return false;
  const Bytes name = data.first(name_bytes);
  const auto end = std::find(name.begin(), name.end(), std::uint8_t{0});
  if (end == name.begin() || !is_plain_text({name.begin(), end})) return false;
  std::uint32_t sum = 0, stored = 0;
  for (std::size_t i = 0; i < header_bytes; ++i) {
    const bool in_checksum = i >= checksum_offset && i < checksum_offset + checksum_bytes;
    sum += in_checksum ? ' ' : data[i];
    if (in_checksum && data[i] >= '0' && data[i] <= '7') stored = stored * 8 + (data[i] - '0');
  }
  return sum == stored;
}

// RFC 1952: deflate, no reserved flag, a known system, and nothing odd in the extra flags.
bool is_gzip(Bytes data) {
  return has(data, 0, "\x1f\x8b\x08") && data.size() >= 18 && (data[3] & 0xe0U) == 0 &&
         (data[8] == 0 || data[8] == 2 || data[8] == 4) && (data[9] <= 13 || data[9] == 255);
}

// PKWARE's APPNOTE, 4.3.7: a local header of a known version and method, with a name that follows.
bool is_zip(Bytes data) {
  if (!has(data, 0, "PK\x03\x04") || data.size() < 30) return false;
  const unsigned version = data[4], method = data[8] | unsigned{data[9]} << 8,
                 name_bytes = data[26] | unsigned{data[27]} << 8;
  return version <= 63 && (method <= 20 || method == 93 || method == 95 || method == 98 || method == 99) && name_bytes > 0;
}

// PNG 2nd edition, 5.2 and 11.2.2: the signature comes first, then the IHDR chunk of 13 bytes.
bool is_png(Bytes data) { return has(data, 0, "\x89PNG\r\n\x1a\n") && has(data, 12, "IHDR"); }

// ITU T.81, B.1.1: start of image, then a marker with a length.
bool is_jpeg(Bytes data) {
  return has(data, 0, "\xff\xd8\xff") && (has(data, 6, "JFIF") || has(data, 6, "Exif") || has(data, 2, "\xff\xdb\x00\x43"));
}

// ELF, chapter 4: the identification has a class, a data encoding and a version.
bool is_elf(Bytes data) {
  return has(data, 0,
             "\x7f"
             "ELF") &&
         data.size() >= 20 && data[4] >= 1 && data[4] <= 2 && data[5] >= 1 && data[5] <= 2 && data[6] == 1;
}

// ISO 14496-12: the first box is "ftyp", and its size modest.
bool is_iso_media(Bytes data) {
  return data.size() >= 16 && has(data, 4, "ftyp") && big_endian_32(data.data()) >= 16 && big_endian_32(data.data()) <= 1024;
}

bool is_riff(Bytes data) {
  return has(data, 0, "RIFF") && (has(data, 8, "WAVE") || has(data, 8, "AVI ") || has(data, 8, "WEBP"));
}

// RFC 8878: the frame header has the magic, and no reserved bit is set.
bool is_zstandard(Bytes data) { return has(data, 0, "\x28\xb5\x2f\xfd") && data.size() >= 9 && (data[4] & 8U) == 0; }

bool is_bzip2(Bytes data) { return has(data, 0, "BZh") && data.size() >= 10 && has(data, 4, "1AY&SY"); }

struct Magic {
  const char* kind;
  std::string_view bytes;  // 6 bytes at least: nothing else is parsed
};

using namespace std::string_view_literals;
constexpr Magic magics[] = {
    {"PDF", "%PDF-1."sv},
    {"PDF", "%PDF-2."sv},
    {"xz",
     "\xfd"
     "7zXZ\0"sv},
    {"7z", "7z\xbc\xaf\x27\x1c"sv},
    {"RAR", "Rar!\x1a\x07"sv},
    {"SQLite", "SQLite format 3\0"sv},
    {"GIF", "GIF87a"sv},
    {"GIF", "GIF89a"sv},
    {"OLE", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv},
    {"cpio", "070701"sv},
    {"Debian package", "!<arch>\n"sv},
    {"OpenSSL file", "Salted__"sv},
    {"Phalanx container", "PHALANX\0"sv},
};

struct Parsed {
  const char* kind;
  bool (*matches)(Bytes);
};

constexpr Parsed parsed[] = {{"tar", is_tar},        {"gzip", is_gzip},  {"zip", is_zip},       {"PNG", is_png},
                             {"JPEG", is_jpeg},      {"ELF", is_elf},    {"MP4", is_iso_media}, {"RIFF", is_riff},
                             {"zstd", is_zstandard}, {"bzip2", is_bzip2}};

}  // namespace

const char* recognise_plaintext(Bytes beginning, bool whole) {
  for (const Magic& magic : magics) {
    if (has(beginning, 0, magic.bytes)) return magic.kind;
  }
  for (const Parsed& format : parsed) {
    if (format.matches(beginning)) return format.kind;
  }
  return is_long_text(beginning, whole) ? "text" : nullptr;
}

bool is_text(Bytes bytes, bool may_be_cut) { return !bytes.empty() && is_all_characters(bytes, may_be_cut); }

namespace {

constexpr std::size_t num_places = 16;
constexpr std::size_t place_bytes = 4096;  // no less than the usual sectors

// Returns a place in [0, most], which is the same for the same numbers.
std::size_t scatter(std::size_t part_bytes, std::size_t number, std::size_t most) {
  std::uint64_t mixed = (part_bytes * num_places + number + 1) * 0x9e3779b97f4a7c15U;  // 2^64 / the golden ratio
  mixed ^= mixed >> 29;
  mixed *= 0xbf58476d1ce4e5b9U;  // of splitmix64
  return static_cast<std::size_t>((mixed >> 32) % (most + 1));
}

bool is_text_between(Bytes text, bool from_a_character, bool to_a_character) {
  for (int i = 0; !from_a_character && i < 3 && !text.empty() && (text[0] & 0xc0U) == 0x80; ++i) text = text.subspan(1);
  return is_all_characters(text, !to_a_character);
}

}  // namespace

bool is_text_at_sixteen_places(Bytes part, const PlaintextPart& place) {
  if (part.size() <= num_places * place_bytes) return is_text_between(part, place.first, place.last);
  const std::size_t stride = part.size() / num_places;
  for (std::size_t i = 0; i < num_places; ++i) {
    const bool begins = i == 0, ends = i + 1 == num_places;
    const std::size_t at = begins ? 0
                           : ends ? part.size() - place_bytes
                                  : i * stride + scatter(part.size(), i, stride - place_bytes);
    if (!is_text_between(part.subspan(at, place_bytes), begins && place.first, ends && place.last)) return false;
  }
  return true;
}

namespace {

bool is_ascii(std::uint8_t byte) { return (byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r'; }

bool has_four_alike(Bytes block) {
  return std::ranges::any_of(block, [&](std::uint8_t byte) { return std::ranges::count(block, byte) >= 4; });
}

// The rest of it stands in the next block.
bool is_cut_character(Bytes bytes) {
  const std::uint8_t first = bytes[0];
  if (first < 0xc2 || first > 0xf4) return false;
  const std::size_t all_bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return bytes.size() < all_bytes &&
         std::ranges::all_of(bytes.subspan(1), [](std::uint8_t byte) { return (byte & 0xc0U) == 0x80; });
}

bool is_utf8_block(Bytes block) {
  for (std::size_t num_cut = 1; num_cut <= 3; ++num_cut) {
    if (!is_cut_character(block.last(num_cut))) continue;
    return is_all_characters(block.first(block.size() - num_cut), false);
  }
  return is_all_characters(block, false);
}

}  // namespace

// Four random bytes are alike once in 9,000 blocks of 16. 14 of 16 are ASCII once in 14,000 times, 8 of 8 once in 2,200.
// Eight are UTF-8 once in 600 times, but once in 5,800 with so few of ASCII among them.
bool begins_beyond_chance(Bytes beginning, std::size_t block_bytes, bool whole) {
  if (beginning.size() < block_bytes && !whole) return false;
  std::vector<std::uint8_t> block(block_bytes,
                                  static_cast<std::uint8_t>(block_bytes - beginning.size()));  // as it is padded
  std::ranges::copy(beginning.first(std::min(beginning.size(), block_bytes)), block.begin());
  constexpr std::size_t short_block_bytes = 8, most_other_bytes = 2;
  const auto num_ascii = static_cast<std::size_t>(std::ranges::count_if(block, is_ascii));
  if (has_four_alike(block) || has(block, 0, "\xef\xbb\xbf")) return true;  // the byte order mark
  if (block_bytes > short_block_bytes) {
    return num_ascii + most_other_bytes >= block_bytes || is_utf8_block(block);
  }
  return num_ascii == block_bytes || (num_ascii <= most_other_bytes && is_utf8_block(block));
}

bool text_ends_as_padding(Bytes ending) {
  constexpr std::size_t most_padding_bytes = 16;
  if (ending.empty() || ending.back() == 0 || ending.back() > most_padding_bytes || ending.back() > ending.size())
    return false;
  const std::uint8_t count = ending.back();
  return std::ranges::all_of(ending.last(count), [&](std::uint8_t byte) { return byte == count; });
}

}  // namespace phalanx
