// Volumes of LUKS: headers of any bytes and of any JSON, and slots that are opened where they are cheap. The first byte says
// which.
#include <algorithm>
#include <cstring>
#include <phalanx/files/inspect.hpp>

#include "files/foreign/luks/key_slots.hpp"
#include "files/foreign/luks/luks_volume.hpp"
#include "tests/foreign/luks/written_volume.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

bool is_cheap(const LuksDerivation& derivation) {
  constexpr std::uint32_t most_iterations = 100, most_kib = 64;
  return derivation.num_iterations <= most_iterations && derivation.memory_kib <= most_kib && derivation.num_lanes <= 2;
}

bool is_cheap(const LuksHeader& header) {
  constexpr std::size_t most_material_bytes = std::size_t{1} << 16;
  return std::ranges::all_of(header.slots,
                             [](const LuksSlot& slot) {
                               return is_cheap(slot.derivation) &&
                                      slot.volume_key_bytes * slot.num_stripes <= most_material_bytes;
                             }) &&
         std::ranges::all_of(header.digests, [](const LuksDigest& digest) {
           return is_cheap(LuksDerivation{.num_iterations = digest.num_iterations});
         });
}

bool is_printable(const std::string& text) {
  return std::ranges::all_of(text, [](char character) { return character >= 0x20 && character < 0x7f; });
}

void check_volume(const LuksHeader& header, Bytes key, const VolumeBytes& bytes, std::size_t place) {
  const LuksVolume volume(header, key, bytes, {.num_threads = 1});
  require(volume.num_bytes() == volume_bytes_of(header, bytes), "the size is known before the key");
  require(volume.num_bytes() <= bytes.num_bytes() * std::max<std::size_t>(1, header.segments.size()),
          "a segment is not longer than its file");
  const auto all_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(volume.num_bytes(), 1 << 16));
  Buffer all(all_bytes);
  volume.read(0, all);
  const std::size_t begin = all.empty() ? 0 : place % all.size(), size = std::min<std::size_t>(all.size() - begin, 700);
  Buffer part(size);
  volume.read(begin, part);
  require(same(part, Bytes(all).subspan(begin, size)), "a part is what the whole has there");
}

void check_image(Bytes image, std::size_t place) {
  const InspectedFile inspected = image.empty() ? InspectedFile() : inspect(image, image.size());
  const VolumeMemory bytes(image, "IN", image.size());
  LuksHeader header;
  if (error_of([&] { header = read_luks_header(bytes); })) return;
  require(is_luks(image), "what has a header is recognised");
  require(inspected.format == FileFormat::luks && inspected.volume.version == header.version, "and inspected");
  require(inspected.volume.key_slots.size() == header.slots.size(), "with all of its slots");
  for (const LuksSlot& slot : header.slots) {
    require(slot.number < 8 || header.version == 2, "LUKS1 has eight slots");
    require(is_printable(slot.encryption) && is_printable(slot.problem), "what is printed can be");
  }
  require(is_printable(header.uuid) && is_printable(header.label) && is_printable(header.refusal), "of the header too");
  if (error_of([&] { require_readable(header, bytes); })) return;
  if (error_of([&] { static_cast<void>(volume_bytes_of(header, bytes)); }) || !is_cheap(header)) return;
  OpenedSlot opened;
  if (error_of([&] { opened = open_key_slot(header, bytes, bytes_of(written_passphrase), {}); })) return;
  static_cast<void>(error_of([&] { check_volume(header, opened.volume_key, bytes, place); }));
}

// Behind the two copies lies what the JSON may name.
Buffer image_of(const std::string& json, Bytes data) {
  Buffer image = write_luks2_header(json, 0);
  const Buffer second = write_luks2_header(json, image.size());
  image.insert(image.end(), second.begin(), second.end());
  image.insert(image.end(), data.begin(), data.end());
  return image;
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t way = input.below(3), place = input.below(1 << 16);
  if (way == 0) {
    check_image(input.take_rest(), place);
  } else if (way == 1) {  // a volume that is right, with a change
    static const Buffer written = write_luks1(Buffer(2048), 2);
    Buffer image = written;
    while (!input.is_empty()) image[input.below(8192)] ^= static_cast<std::uint8_t>(input.below(256));
    check_image(image, place);
  } else {
    const std::string json = input.text(4096);
    check_image(image_of(json, Buffer(4096, 0x5a)), place);
  }
  return 0;
}
