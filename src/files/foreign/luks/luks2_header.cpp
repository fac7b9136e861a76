#include "files/foreign/luks/luks2_header.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>
#include <string_view>

#include "engine/bytes/byte_order.hpp"
#include "engine/bytes/equal_bytes.hpp"
#include "files/foreign/luks/luks2_metadata.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

// Section 2.1 has the binary header, whose fields stand at these offsets.
constexpr std::size_t binary_bytes = 4096;
constexpr std::size_t header_size = 8, sequence_number = 16, label = 24, label_bytes = 48;
constexpr std::size_t checksum_name = 72, checksum_name_bytes = 32, uuid = 168, uuid_bytes = 40;
constexpr std::size_t header_offset = 256, checksum = 448, checksum_bytes = 64;

constexpr std::string_view first_magic = "LUKS\xba\xbe"sv, second_magic = "SKUL\xba\xbe"sv;

// Section 2.2 has the sizes of a header with its JSON. The second header stands behind the first.
constexpr std::uint64_t smallest_header_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t largest_header_bytes = std::uint64_t{4} << 20;

bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::ranges::equal(bytes.first(text.size()), bytes_of(text));
}

std::uint64_t number(Bytes bytes, std::size_t offset) { return __builtin_bswap64(load_u64(bytes.data() + offset)); }

bool is_header_size(std::uint64_t size) {
  return size >= smallest_header_bytes && size <= largest_header_bytes && (size & (size - 1)) == 0;
}

// Holds one copy of the header, or what is wrong with it.
struct Copy {
  std::string problem{};
  std::vector<std::uint8_t> bytes{};
  std::uint64_t sequence = 0;
};

// Section 2.3 has the checksum over all of the copy, with zeros in its own place. Returns "" where it verifies.
std::string verify_checksum(std::vector<std::uint8_t>& copy) {
  const std::string name = text_of_field(Bytes(copy).subspan(checksum_name, checksum_name_bytes));
  std::array<std::uint8_t, checksum_bytes> stored{};
  std::copy_n(copy.begin() + checksum, checksum_bytes, stored.begin());
  std::fill_n(copy.begin() + checksum, checksum_bytes, std::uint8_t{0});
  try {
    const NamedDigest digest(name);
    if (digest.num_bytes() > checksum_bytes) return "its checksum '" + name + "' is longer than its place";
    std::vector<std::uint8_t> computed(digest.num_bytes());
    digest.compute({copy}, computed);
    return std::ranges::equal(computed, Bytes(stored).first(computed.size())) ? "" : "its checksum does not match";
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return "its checksum '" + name + "' is not known here";
  }
}

Copy read_copy(const VolumeBytes& bytes, std::uint64_t offset, std::string_view magic) {
  Copy copy;
  copy.bytes.resize(binary_bytes);
  if (offset > bytes.num_bytes() || bytes.num_bytes() - offset < binary_bytes) return {.problem = "it is cut off"};
  bytes.read(offset, copy.bytes);
  if (!begins_with(copy.bytes, magic) || copy.bytes[magic.size()] != 0 || copy.bytes[magic.size() + 1] != 2)
    return {.problem = "it does not begin as one"};
  const std::uint64_t size = number(copy.bytes, header_size);
  if (!is_header_size(size)) return {.problem = "no header has " + std::to_string(size) + " bytes"};
  if (number(copy.bytes, header_offset) != offset) return {.problem = "it is that of another place"};
  if (bytes.num_bytes() - offset < size) return {.problem = "it is cut off"};
  copy.bytes.resize(static_cast<std::size_t>(size));
  bytes.read(offset + binary_bytes, MutableBytes(copy.bytes).subspan(binary_bytes));
  copy.problem = verify_checksum(copy.bytes);
  copy.sequence = number(copy.bytes, sequence_number);
  return copy;
}

LuksHeader parse(const VolumeBytes& bytes, const Copy& copy) {
  const Bytes all = copy.bytes;
  LuksHeader header{.version = 2,
                    .uuid = text_of_field(all.subspan(uuid, uuid_bytes)),
                    .label = text_of_field(all.subspan(label, label_bytes))};
  const Bytes area = all.subspan(binary_bytes);
  const auto end = std::ranges::find(area, std::uint8_t{0});
  const Bytes json = area.first(static_cast<std::size_t>(end - area.begin()));
  try {
    read_luks2_metadata({reinterpret_cast<const char*>(json.data()), json.size()}, header);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    throw_damaged_luks(bytes, error.what());
  }
  return header;
}

// A second header may stand at the sizes that the first one may have. Calls visit(place) until that returns true.
template <class Visit>
void for_each_place(const Visit& visit) {
  for (std::uint64_t place = smallest_header_bytes; place <= largest_header_bytes; place *= 2) {
    if (visit(place)) return;
  }
}

Copy find_second(const VolumeBytes& bytes) {
  Copy found{.problem = "there is none"};
  for_each_place([&](std::uint64_t place) {
    Copy copy = read_copy(bytes, place, second_magic);
    const bool is_right = copy.problem.empty() && copy.bytes.size() == place;
    if (is_right) found = std::move(copy);
    return is_right;
  });
  return found;
}

}  // namespace

bool has_second_luks2_header(Bytes beginning) {
  bool has_one = false;
  for_each_place([&](std::uint64_t place) {
    const bool is_there = place < beginning.size();
    has_one = is_there && begins_with(beginning.subspan(static_cast<std::size_t>(place)), second_magic);
    return has_one || !is_there;
  });
  return has_one;
}

LuksHeader read_luks2_header(const VolumeBytes& bytes) {
  const Copy first = read_copy(bytes, 0, first_magic);
  const Copy second = first.problem.empty() ? read_copy(bytes, first.bytes.size(), second_magic) : find_second(bytes);
  if (!first.problem.empty() && !second.problem.empty()) {
    const bool is_cut = bytes.num_bytes() < 2 * smallest_header_bytes;
    throw Error(is_cut ? ErrorCode::truncated : ErrorCode::format,
                "both headers of " + bytes.name() + " are damaged (the first: " + first.problem +
                    "; the second: " + second.problem + "): look for a backup of the header",
                {.name = bytes.name()});
  }
  const bool takes_second = !first.problem.empty() || (second.problem.empty() && second.sequence > first.sequence);
  LuksHeader header = parse(bytes, takes_second ? second : first);
  if (!first.problem.empty()) header.note = "the second header is read, since the first is damaged: " + first.problem;
  if (!second.problem.empty()) header.note = "the first header is read, and the second is damaged: " + second.problem;
  return header;
}

std::optional<LuksHeader> read_second_luks2_header(const VolumeBytes& bytes) {
  const Copy second = find_second(bytes);
  if (!second.problem.empty()) return std::nullopt;
  LuksHeader header = parse(bytes, second);
  header.note = "the second header is read, since there is no first one";
  return header;
}

}  // namespace phalanx
