#include "files/foreign/luks/luks2_metadata.hpp"

#include <algorithm>
#include <charconv>
#include <phalanx/error.hpp>
#include <string>

#include "engine/text/base64.hpp"
#include "engine/text/json_line.hpp"

namespace phalanx {
namespace {

constexpr unsigned most_json_depth = 32;
constexpr std::size_t most_slots = 32;     // section 3.2
constexpr std::size_t most_segments = 32;  // more than any volume has

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::format, what); }

// Holds an object of the JSON, and what it is called in messages.
struct Part {
  const JsonObject& object;
  std::string name;

  [[nodiscard]] std::string text(const char* member) const {
    const std::optional<std::string> value = object.text(member);
    if (!value) refuse(name + " has no '" + member + "'");
    return text_of_field(bytes_of(*value));  // which is printed
  }
  [[nodiscard]] std::uint64_t number(const char* member, std::uint64_t most) const {
    const std::optional<std::uint64_t> value = object.number(member, most);
    if (!value) refuse(name + " has no '" + member + "'");
    return *value;
  }
  [[nodiscard]] Part part(const char* member) const {
    const JsonObject* const value = object.object(member);
    if (value == nullptr) refuse(name + " has no '" + member + "'");
    return {*value, std::string("'") + member + "' of " + name};
  }
  // Section 3.1 has numbers of 64 bits as digits in a text.
  [[nodiscard]] std::uint64_t long_number(const char* member) const {
    const std::string digits = text(member);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      refuse(name + " has no number as its '" + member + "'");
    return value;
  }
  [[nodiscard]] std::vector<std::uint8_t> bytes(const char* member) const {
    const std::string encoded = text(member);
    std::vector<std::uint8_t> decoded(Base64Decoder::max_update_bytes(encoded.size()));
    Base64Decoder decoder;
    decoded.resize(decoder.update(bytes_of(encoded), decoded));
    decoder.finish();
    return decoded;
  }
};

std::uint32_t number_32(const Part& part, const char* member) {
  return static_cast<std::uint32_t>(part.number(member, UINT32_MAX));
}

unsigned number_of_id(const std::string& id, const std::string& what) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (id.empty() || error != std::errc() || end != id.data() + id.size()) refuse("'" + id + "' is no number of a " + what);
  return number;
}

std::vector<unsigned> numbers_of_ids(const Part& part, const char* member, const std::string& what) {
  const auto ids = part.object.texts(member);
  if (!ids) refuse(part.name + " has no '" + member + "'");
  std::vector<unsigned> numbers;
  for (const std::string& id : *ids) numbers.push_back(number_of_id(id, what));
  return numbers;
}

// Calls visit(number, part) for the members of an object, in the order of their numbers.
template <class Visit>
void for_each_numbered(const Part& all, const char* what, std::size_t most, const Visit& visit) {
  std::vector<std::pair<unsigned, std::string>> members;
  for (const std::string& id : all.object.names()) members.emplace_back(number_of_id(id, what), id);
  if (members.size() > most) refuse("it has " + std::to_string(members.size()) + " of " + all.name);
  std::ranges::sort(members);
  for (const auto& [number, id] : members) visit(number, Part{*all.object.object(id), std::string(what) + " " + id});
}

LuksDerivation read_derivation(const Part& part) {
  const std::string type = part.text("type");
  LuksDerivation derivation{.salt = part.bytes("salt")};
  if (type == "pbkdf2") {
    derivation.hash = part.text("hash");
    derivation.num_iterations = number_32(part, "iterations");
    return derivation;
  }
  if (type != "argon2i" && type != "argon2id") refuse("its derivation '" + type + "' is not known here");
  derivation.kind = type == "argon2i" ? LuksDerivation::Kind::argon2i : LuksDerivation::Kind::argon2id;
  derivation.num_iterations = number_32(part, "time");
  derivation.memory_kib = number_32(part, "memory");
  derivation.num_lanes = number_32(part, "cpus");
  return derivation;
}

LuksSlot::Priority read_priority(const Part& part) {
  switch (part.object.number("priority").value_or(1)) {
    case 0:
      return LuksSlot::Priority::only_by_number;
    case 2:
      return LuksSlot::Priority::preferred;
    default:
      return LuksSlot::Priority::normal;
  }
}

// Section 3.2 has the fields of a key slot.
void read_slot(const Part& part, LuksSlot& slot) {
  const std::string type = part.text("type");
  if (type != "luks2") refuse("its kind '" + type + "' is not known here");
  slot.volume_key_bytes = static_cast<std::size_t>(part.number("key_size", UINT32_MAX));
  slot.priority = read_priority(part);
  const Part area = part.part("area"), stripes = part.part("af");
  if (area.text("type") != "raw") refuse("its area '" + area.text("type") + "' is not known here");
  slot.encryption = area.text("encryption");
  slot.area_key_bytes = static_cast<std::size_t>(area.number("key_size", UINT32_MAX));
  slot.area_offset = area.long_number("offset");
  slot.area_bytes = area.long_number("size");
  if (stripes.text("type") != "luks1") refuse("its splitting '" + stripes.text("type") + "' is not known here");
  slot.num_stripes = number_32(stripes, "stripes");
  slot.stripes_hash = stripes.text("hash");
  slot.derivation = read_derivation(part.part("kdf"));
}

void read_slots(const Part& all, LuksHeader& header) {
  for_each_numbered(all, "key slot", most_slots, [&](unsigned number, const Part& part) {
    LuksSlot slot{.number = number};
    try {
      read_slot(part, slot);
    } catch (const Error& error) {
      slot.problem = error.what();
    }
    header.slots.push_back(std::move(slot));
  });
}

// Section 3.4 has the fields of a digest. A digest of another kind belongs to slots that open nothing here.
void read_digests(const Part& all, LuksHeader& header) {
  for_each_numbered(all, "digest", most_slots, [&](unsigned, const Part& part) {
    if (part.text("type") != "pbkdf2") return;
    header.digests.push_back({.hash = part.text("hash"),
                              .num_iterations = number_32(part, "iterations"),
                              .salt = part.bytes("salt"),
                              .digest = part.bytes("digest"),
                              .slots = numbers_of_ids(part, "keyslots", "key slot"),
                              .segments = numbers_of_ids(part, "segments", "segment")});
  });
}

void refuse_volume(LuksHeader& header, const std::string& reason) {
  if (header.refusal.empty()) header.refusal = reason;
}

constexpr const char* in_flight =
    "is half encrypted or decrypted anew, by a `cryptsetup reencrypt` that has not ended: let cryptsetup go on with it "
    "first";

// Section 3.3 has the fields of a segment.
void read_segment(const Part& part, LuksSegment& segment, LuksHeader& header) {
  const std::string type = part.text("type");
  for (const std::string& flag : part.object.texts("flags").value_or(std::vector<std::string>())) {
    if (flag == "in-reencryption" || flag.starts_with("backup-")) refuse_volume(header, in_flight);
  }
  segment.offset = part.long_number("offset");
  if (part.text("size") != "dynamic") segment.num_bytes = part.long_number("size");
  if (type != "crypt") {
    segment.encryption = type;
    return refuse_volume(header, "has a part of the kind '" + type + "', which is not read here: cryptsetup opens it");
  }
  segment.first_iv_sector = part.long_number("iv_tweak");
  segment.encryption = part.text("encryption");
  segment.sector_bytes = static_cast<std::size_t>(part.number("sector_size", UINT32_MAX));
  if (const JsonObject* const integrity = part.object.object("integrity")) {
    refuse_volume(header, "has integrity tags (" + Part{*integrity, part.name}.text("type") +
                              "), which are not read here: `cryptsetup open` opens it");
  }
  const bool is_sector = segment.sector_bytes >= luks_sector_bytes && segment.sector_bytes <= 4096 &&
                         (segment.sector_bytes & (segment.sector_bytes - 1)) == 0;
  if (!is_sector) refuse(part.name + " has sectors of " + std::to_string(segment.sector_bytes) + " bytes");
}

void read_segments(const Part& all, LuksHeader& header) {
  for_each_numbered(all, "segment", most_segments, [&](unsigned number, const Part& part) {
    LuksSegment segment{.number = number};
    read_segment(part, segment, header);
    header.segments.push_back(std::move(segment));
  });
  if (header.segments.empty()) refuse_volume(header, "has no segment: the header says of no data where they are");
}

// Section 3.6 has requirements that a reader must know.
void read_requirements(const JsonObject& config, LuksHeader& header) {
  const JsonObject* const requirements = config.object("requirements");
  if (requirements == nullptr) return;
  for (const std::string& one : requirements->texts("mandatory").value_or(std::vector<std::string>())) {
    const bool is_reencryption = one.starts_with("online-reencrypt") || one.starts_with("offline-reencrypt");
    refuse_volume(header, is_reencryption ? in_flight : "requires '" + one + "' of its reader, which is not known here");
  }
}

}  // namespace

void read_luks2_metadata(std::string_view json, LuksHeader& header) {
  try {
    const JsonObject object = JsonObject::nested(json, most_json_depth);
    const Part all{object, "its JSON"};
    read_requirements(all.part("config").object, header);
    read_slots(all.part("keyslots"), header);
    read_digests(all.part("digests"), header);
    read_segments(all.part("segments"), header);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime || error.code() == ErrorCode::format) throw;
    throw Error(ErrorCode::format, std::string("its JSON is not as LUKS2 has it (") + error.what() + ")");
  }
}

}  // namespace phalanx
