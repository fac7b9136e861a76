#include "files/foreign/luks/luks1_header.hpp"

#include <array>
#include <phalanx/error.hpp>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {
namespace {

// Figure 1 has the fields of the header, which stand at these offsets.
constexpr std::size_t header_bytes = 592;
constexpr std::size_t cipher_name = 8, cipher_mode = 40, hash_spec = 72, name_bytes = 32;
constexpr std::size_t payload_offset = 104, key_bytes = 108;
constexpr std::size_t digest = 112, digest_bytes = 20, digest_salt = 132, salt_bytes = 32, digest_iterations = 164;
constexpr std::size_t uuid = 168, uuid_bytes = 40;
constexpr std::size_t first_slot = 208, slot_bytes = 48;
constexpr unsigned num_slots = 8;
// Figure 2 has the fields of a key slot.
constexpr std::size_t slot_iterations = 4, slot_salt = 8, slot_material = 40, slot_stripes = 44;
// Figure 3 has the states of a key slot.
constexpr std::uint32_t slot_enabled = 0x00ac71f3, slot_disabled = 0x0000dead;

constexpr std::uint32_t most_key_bytes = 512;

using Header = std::array<std::uint8_t, header_bytes>;

Bytes field(Bytes bytes, std::size_t offset, std::size_t size) { return bytes.subspan(offset, size); }

std::uint32_t number(Bytes bytes, std::size_t offset) { return __builtin_bswap32(load_u32(bytes.data() + offset)); }

std::vector<std::uint8_t> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

LuksSlot read_slot(Bytes slot, const LuksHeader& header, std::uint32_t volume_key_bytes, const std::string& hash) {
  LuksSlot read;
  read.derivation = {
      .hash = hash, .num_iterations = number(slot, slot_iterations), .salt = copy(field(slot, slot_salt, salt_bytes))};
  read.volume_key_bytes = read.area_key_bytes = volume_key_bytes;
  read.encryption = header.segments.front().encryption;
  read.area_offset = std::uint64_t{number(slot, slot_material)} * luks_sector_bytes;
  read.num_stripes = number(slot, slot_stripes);
  const std::uint64_t material_bytes = std::uint64_t{volume_key_bytes} * read.num_stripes;
  read.area_bytes = (material_bytes + luks_sector_bytes - 1) / luks_sector_bytes * luks_sector_bytes;
  read.stripes_hash = hash;
  return read;
}

void read_slots(Bytes bytes, std::uint32_t volume_key_bytes, const std::string& hash, LuksHeader& header) {
  for (unsigned i = 0; i < num_slots; ++i) {
    const Bytes slot = field(bytes, first_slot + i * slot_bytes, slot_bytes);
    const std::uint32_t state = number(slot, 0);
    if (state == slot_disabled) continue;
    LuksSlot read = read_slot(slot, header, volume_key_bytes, hash);
    read.number = i;
    if (state != slot_enabled) read.problem = "its state is neither enabled nor disabled";
    header.slots.push_back(std::move(read));
    header.digests.front().slots.push_back(i);
  }
}

}  // namespace

LuksHeader read_luks1_header(const VolumeBytes& bytes) {
  Header memory{};
  bytes.read(0, memory);
  const std::uint32_t volume_key_bytes = number(memory, key_bytes);
  if (volume_key_bytes == 0 || volume_key_bytes > most_key_bytes) {
    throw_damaged_luks(bytes, "a volume key of " + std::to_string(volume_key_bytes) + " bytes");
  }
  const std::string hash = text_of_field(field(memory, hash_spec, name_bytes));
  LuksHeader header{.version = 1, .uuid = text_of_field(field(memory, uuid, uuid_bytes))};
  header.segments.push_back({.offset = std::uint64_t{number(memory, payload_offset)} * luks_sector_bytes,
                             .encryption = text_of_field(field(memory, cipher_name, name_bytes)) + "-" +
                                           text_of_field(field(memory, cipher_mode, name_bytes))});
  header.digests.push_back({.hash = hash,
                            .num_iterations = number(memory, digest_iterations),
                            .salt = copy(field(memory, digest_salt, salt_bytes)),
                            .digest = copy(field(memory, digest, digest_bytes)),
                            .segments = {0}});
  read_slots(memory, volume_key_bytes, hash, header);
  return header;
}

}  // namespace phalanx
