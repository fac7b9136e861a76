#include "files/inspection/inspection.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/format/header.hpp"
#include "files/foreign/cms/cms_description.hpp"
#include "files/foreign/cms/message_reading.hpp"
#include "files/foreign/luks/luks_header.hpp"
#include "files/foreign/luks/luks_volume.hpp"
#include "files/foreign/openpgp/openpgp_description.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/in_place/journal.hpp"
#include "files/recognition/recognise.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

bool begins_with(Bytes beginning, std::string_view text) {
  return beginning.size() >= text.size() && std::equal(text.begin(), text.end(), beginning.begin());
}

InspectedContainer inspect_container(Bytes beginning, std::uint64_t file_bytes) {
  const ContainerHeader header = parse_header(beginning);
  InspectedContainer container;
  container.version = header.version;
  container.suite = header.suite->name;
  container.aead = header.suite->aead_name;
  container.recipients = list_recipients(beginning);
  container.needs_context = header.binding.needs_context();
  container.has_name = header.binding.has_name();
  container.header_bytes = header.bytes.size();
  const std::uint64_t before_chunks = header.bytes.size() + message_prefix_bytes;
  try {
    container.plain_bytes = plain_bytes_of_chunks(file_bytes - std::min(file_bytes, before_chunks));
    container.num_chunks = num_chunks_of_plain(container.plain_bytes);
  } catch (const Error& error) {
    container.problem = error.what();
  }
  return container;
}

}  // namespace

namespace {

void name_kind(const RecognisedFile& found, InspectedFile& file) {
  file.kind = name_of(found.kind);
  file.form = found.form;
  file.protection = name_of(found.protection);
  file.description = found.description;
  file.opened_by = found.opened_by;
  file.is_certain = found.is_certain && found.kind != FileKind::unknown && found.kind != FileKind::data;
  file.is_cut = found.is_cut;
}

const char* name_of(LuksSlot::Priority priority) {
  switch (priority) {
    case LuksSlot::Priority::only_by_number:
      return "only by its number";
    case LuksSlot::Priority::preferred:
      return "preferred";
    default:
      return "normal";
  }
}

void describe_luks(const LuksHeader& header, InspectedVolume& volume) {
  volume.version = header.version;
  volume.uuid = header.uuid;
  volume.label = header.label;
  volume.note = header.note;
  for (const LuksSlot& slot : header.slots) {
    const bool is_known = slot.problem.empty();
    volume.key_slots.push_back({.number = slot.number,
                                .derivation = is_known ? describe(slot.derivation) : "",
                                .encryption = slot.encryption,
                                .priority = name_of(slot.priority),
                                .problem = slot.problem});
    if (is_known && volume.key_bytes == 0) volume.key_bytes = slot.volume_key_bytes;
  }
  for (const LuksSegment& segment : header.segments)
    volume.sector_bytes = std::max(volume.sector_bytes, segment.sector_bytes);
  if (header.segments.empty()) return;
  volume.cipher = header.segments.front().encryption;
  volume.data_offset = header.segments.front().offset;
}

// A header that is damaged, or has no data behind it, is still one.
InspectedVolume inspect_luks(const VolumeBytes& bytes) {
  InspectedVolume volume;
  try {
    const LuksHeader header = read_luks_header(bytes);
    describe_luks(header, volume);
    require_readable(header, bytes);
    volume.plain_bytes = volume_bytes_of(header, bytes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    volume.problem = error.what();
  }
  return volume;
}

// `bytes` are those of the file, as far as they can be read.
Inspection inspect_glimpse(Bytes beginning, const FileGlimpse& glimpse, const VolumeBytes& bytes) {
  Inspection inspection{.file = {}, .recognised = recognise(glimpse)};
  InspectedFile& file = inspection.file;
  file.file_bytes = glimpse.num_bytes;
  name_kind(inspection.recognised, file);
  const OpensslEncoding openssl = openssl_encoding_of(beginning);
  const bool is_url_safe = openssl == OpensslEncoding::base64 && file.form != "base64";
  if (openssl != OpensslEncoding::none && !is_url_safe) {
    file.format = FileFormat::openssl_enc;
    file.is_base64 = openssl == OpensslEncoding::base64;
    if (file.is_base64) return inspection;
    file.salt = parse_openssl_header(beginning);
    file.ciphertext_bytes = file.file_bytes - std::min<std::uint64_t>(file.file_bytes, openssl_header_bytes);
  } else if (is_container(beginning)) {
    file.format = FileFormat::container;
    file.container = inspect_container(beginning, file.file_bytes);
  } else if (begins_with(beginning, journal_magic) || begins_with(beginning, earlier_journal_magic)) {
    file.format = FileFormat::in_place_journal;
  } else if (inspection.recognised.kind == FileKind::luks && file.form.empty()) {
    file.format = FileFormat::luks;
    file.volume = inspect_luks(bytes);
  }
  return inspection;
}

bool is_encrypted_message(const Inspection& inspection, FileKind kind) {
  const RecognisedFile& found = inspection.recognised;
  return found.kind == kind && found.protection == Protection::encrypted;
}

void describe_message(Inspection& inspection, ByteSource& source, const std::string& name) {
  if (is_encrypted_message(inspection, FileKind::cms)) inspection.file.cms = describe_cms(source, name);
  if (is_encrypted_message(inspection, FileKind::openpgp)) inspection.file.openpgp = describe_openpgp(source, name);
}

// Reads bytes in memory.
class MemoryPart : public ByteSource {
 public:
  explicit MemoryPart(Bytes left) : left_(left) {}
  std::size_t read(MutableBytes out) override {
    const Bytes taken = left_.first(std::min(out.size(), left_.size()));
    std::ranges::copy(taken, out.begin());
    left_ = left_.subspan(taken.size());
    return taken.size();
  }

 private:
  Bytes left_;
};

Inspection with_message(Inspection inspection, Bytes beginning) {
  MemoryPart source(beginning);
  describe_message(inspection, source, "what was read of it");
  return inspection;
}

// A file that can seek may have more recipients than its beginning shows.
Inspection with_message(Inspection inspection, const Input& input, std::uint64_t start) {
  InputPart source(input, start);
  describe_message(inspection, source, input.name());
  return inspection;
}

FileGlimpse glimpse_of_ends(Bytes beginning, Bytes end, std::uint64_t num_bytes) {
  return {
      .beginning = beginning.first(std::min(beginning.size(), recognised_from_bytes)), .end = end, .num_bytes = num_bytes};
}

// Reads a pipe to its end, counts its bytes, and returns the last of them.
std::vector<std::uint8_t> read_rest(Input& input, std::uint64_t& num_bytes) {
  std::vector<std::uint8_t> end, part(recognised_from_bytes);
  while (const std::size_t got = input.read(part)) {
    num_bytes += got;
    end.insert(end.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    const std::size_t surplus = end.size() - std::min(end.size(), recognised_from_bytes);
    end.erase(end.begin(), end.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  return end;
}

}  // namespace

Inspection inspect_input(Input& input) {
  const bool can_seek = input.remaining_bytes().has_value();
  const std::uint64_t start = can_seek ? input.position() : 0;
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(input.read(beginning));
  if (beginning.empty()) throw Error(ErrorCode::truncated, input.name() + " is empty");
  if (can_seek) {
    const FileEnds ends = read_ends(input, start).value_or(FileEnds());
    const std::uint64_t file_bytes = std::max<std::uint64_t>(ends.num_bytes, beginning.size());
    const VolumeFile bytes(input.descriptor(), input.name(), start, file_bytes);
    return with_message(inspect_glimpse(beginning, glimpse_of_ends(beginning, ends.end, file_bytes), bytes), input, start);
  }
  std::uint64_t file_bytes = beginning.size();
  const std::vector<std::uint8_t> end = read_rest(input, file_bytes);
  const VolumeMemory bytes(beginning, input.name(), file_bytes);
  return with_message(inspect_glimpse(beginning, glimpse_of_ends(beginning, end, file_bytes), bytes), beginning);
}

inline namespace PHALANX_VERSION_NAMESPACE {

InspectedFile inspect(Bytes beginning, std::uint64_t file_bytes) {
  if (beginning.empty()) throw Error(ErrorCode::truncated, "the file is empty");
  const Bytes end = beginning.size() == file_bytes ? beginning : Bytes();
  const VolumeMemory bytes(beginning, "the file", file_bytes);
  return with_message(inspect_glimpse(beginning, glimpse_of_ends(beginning, end, file_bytes), bytes), beginning).file;
}

InspectedFile inspect_file(const std::string& path) {
  Input input(file_named(path));
  return inspect_input(input).file;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
