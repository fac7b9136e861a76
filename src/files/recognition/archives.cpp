#include "files/recognition/archives.hpp"

#include <string>

#include "files/recognition/byte_fields.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

RecognisedFile archive_of(FileKind kind, Protection protection, std::string description, const char* opened_by) {
  return {.kind = kind, .protection = protection, .description = std::move(description), .opened_by = opened_by};
}

// Counts the entries of a zip that were seen, by how they are encrypted.
struct ZipEntries {
  std::size_t num_seen = 0, num_aes = 0, num_zip_crypto = 0, num_strong = 0;

  void add(std::uint64_t flags, std::uint64_t method) {
    constexpr std::uint64_t is_encrypted = 1, is_strong = 1U << 6, aes = 99;
    ++num_seen;
    if ((flags & is_encrypted) == 0) return;
    ++(method == aes ? num_aes : (flags & is_strong) != 0 ? num_strong : num_zip_crypto);
  }
};

// Sections 4.3.12 and 4.3.16: the list of entries, which the last record of the file leads to.
ZipEntries list_entries(const FileGlimpse& file) {
  constexpr std::string_view end_mark = "PK\5\6"sv, entry_mark = "PK\1\2"sv;
  constexpr std::size_t offset_in_end = 16, entry_bytes = 46, sizes_in_entry = 28;
  ZipEntries entries;
  const Bytes tail = file.end.empty() && file.is_whole() ? file.beginning : file.end;
  const std::size_t at = text_of(tail).rfind(end_mark);
  if (at == std::string_view::npos || tail.size() - at < offset_in_end + 4) return entries;
  FieldReader fields(file.from(little_endian(tail.subspan(at + offset_in_end, 4))));
  while (has_at(fields.left(), 0, entry_mark) && fields.left().size() >= entry_bytes) {
    const Bytes entry = fields.left();
    entries.add(little_endian(entry.subspan(8, 2)), little_endian(entry.subspan(10, 2)));
    std::uint64_t all_bytes = entry_bytes;
    for (std::size_t i = 0; i < 3; ++i) all_bytes += little_endian(entry.subspan(sizes_in_entry + 2 * i, 2));
    if (!fields.skip(all_bytes)) break;
  }
  return entries;
}

}  // namespace

std::optional<RecognisedFile> recognise_zip(const FileGlimpse& file) {
  constexpr std::size_t header_bytes = 30;
  if (has_at(file.beginning, 0, "PK\5\6"sv) && file.num_bytes == 22)
    return archive_of(FileKind::zip, Protection::none, "an empty zip archive", "unzip");
  const Bytes first = file.beginning;
  const bool begins_with_entry = has_at(first, 0, "PK\3\4"sv) && first.size() >= header_bytes;
  if (!begins_with_entry || first[4] > 63 || little_endian(first.subspan(26, 2)) == 0) return std::nullopt;
  const std::uint64_t method = little_endian(first.subspan(8, 2));
  if (method > 20 && (method < 93 || method > 99)) return std::nullopt;
  ZipEntries entries = list_entries(file);
  const bool is_listed = entries.num_seen != 0;
  if (!is_listed) entries.add(little_endian(first.subspan(6, 2)), method);
  RecognisedFile found = archive_of(FileKind::zip, Protection::encrypted, "a zip archive", "7z x FILE");
  if (entries.num_aes != 0) {
    found.description += ", encrypted by AES (WinZip's, method 99)";
  } else if (entries.num_strong != 0) {
    found.description += ", encrypted by PKWARE's strong encryption";
    found.opened_by = "PKZIP";
  } else if (entries.num_zip_crypto != 0) {
    found.description += ", encrypted by ZipCrypto, which is weak";
  } else {
    found.protection = Protection::none;
    found.description += is_listed ? ", which is not encrypted" : ", whose first entry is not encrypted";
    found.opened_by = "unzip FILE";
  }
  return found;
}

std::optional<RecognisedFile> recognise_seven_zip(const FileGlimpse& file) {
  constexpr std::size_t header_bytes = 32;
  constexpr std::string_view aes_coder = "\x06\xf1\x07\x01"sv;
  if (!has_at(file.beginning, 0, "7z\xbc\xaf\x27\x1c"sv)) return std::nullopt;
  RecognisedFile found =
      archive_of(FileKind::seven_zip, Protection::unknown, "a 7z archive, perhaps encrypted", "7z x FILE");
  if (file.beginning.size() < header_bytes) {
    found.is_cut = file.is_whole();
    return found;
  }
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
  const std::uint64_t offset = header_bytes + std::min(most_bytes, little_endian(file.beginning.subspan(12, 8)));
  const std::uint64_t num_bytes = std::min(most_bytes, little_endian(file.beginning.subspan(20, 8)));
  found.is_cut = offset + num_bytes > file.num_bytes;
  const Bytes last = file.from(offset);
  if (found.is_cut || last.size() < num_bytes || num_bytes == 0) return found;
  const bool is_encrypted = text_of(last).find(aes_coder) != std::string_view::npos;
  constexpr std::uint8_t plain_header = 1;
  if (is_encrypted) {
    found.protection = Protection::encrypted;
    found.description = "a 7z archive, encrypted by AES-256";
  } else if (last.front() == plain_header) {
    found.protection = Protection::none;
    found.description = "a 7z archive, which is not encrypted";
  }
  return found;
}

namespace {

RecognisedFile rar_of(bool is_encrypted, bool is_known) {
  return archive_of(FileKind::rar,
                    is_encrypted ? Protection::encrypted
                    : is_known   ? Protection::none
                                 : Protection::unknown,
                    is_encrypted ? "an encrypted RAR archive"
                    : is_known   ? "a RAR archive, whose first entry is not encrypted"
                                 : "a RAR archive, perhaps encrypted",
                    "unrar x FILE");
}

// Reads a number of seven bits a byte, the lowest first.
std::optional<std::uint64_t> read_varied(FieldReader& fields) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const std::optional<std::uint64_t> byte = fields.big(1);
    if (!byte) return std::nullopt;
    number |= (*byte & 0x7fU) << shift;
    if (*byte < 0x80) return number;
  }
  return std::nullopt;
}

// The extra area of a file's header has records: their size, their kind, and more.
bool has_encryption_record(FieldReader extra) {
  constexpr std::uint64_t encryption = 1;
  while (!extra.is_at_end()) {
    const std::optional<std::uint64_t> size = read_varied(extra);
    const std::optional<Bytes> record = size ? extra.take(*size) : std::nullopt;
    if (!record) return false;
    FieldReader fields(*record);
    if (read_varied(fields) == encryption) return true;
  }
  return false;
}

RecognisedFile recognise_rar_5(FieldReader fields) {
  constexpr std::uint64_t has_extra = 1, has_data = 2, file_kind = 2, encryption_kind = 4;
  while (fields.skip(4)) {  // a checksum
    const std::optional<std::uint64_t> size = read_varied(fields);
    const std::optional<Bytes> header = size ? fields.take(*size) : std::nullopt;
    if (!header) break;
    FieldReader block(*header);
    const std::uint64_t kind = read_varied(block).value_or(0), flags = read_varied(block).value_or(0);
    if (kind == encryption_kind) return rar_of(true, true);
    const std::uint64_t extra_bytes = (flags & has_extra) != 0 ? read_varied(block).value_or(0) : 0;
    const std::uint64_t data_bytes = (flags & has_data) != 0 ? read_varied(block).value_or(0) : 0;
    if (kind == file_kind) {
      const std::size_t extra = static_cast<std::size_t>(std::min<std::uint64_t>(extra_bytes, header->size()));
      return rar_of(has_encryption_record(FieldReader(header->last(extra))), true);
    }
    if (!fields.skip(data_bytes)) break;
  }
  return rar_of(false, false);
}

RecognisedFile recognise_rar_4(FieldReader fields) {
  constexpr std::uint64_t archive_kind = 0x73, file_kind = 0x74, is_archive_encrypted = 0x80, is_file_encrypted = 4,
                          has_more = 0x8000;
  constexpr std::size_t start_bytes = 7;
  while (fields.skip(2)) {  // a checksum
    const std::uint64_t kind = fields.little(1).value_or(0), flags = fields.little(2).value_or(0),
                        size = fields.little(2).value_or(0);
    if (kind == archive_kind && (flags & is_archive_encrypted) != 0) return rar_of(true, true);
    if (kind == file_kind) return rar_of((flags & is_file_encrypted) != 0, true);
    if (size < start_bytes || (flags & has_more) != 0 || !fields.skip(size - start_bytes)) break;
  }
  return rar_of(false, false);
}

}  // namespace

std::optional<RecognisedFile> recognise_rar(const FileGlimpse& file) {
  constexpr std::string_view magic_4 = "Rar!\x1a\x07\x00"sv, magic_5 = "Rar!\x1a\x07\x01\x00"sv;
  if (has_at(file.beginning, 0, magic_4)) return recognise_rar_4(FieldReader(file.beginning.subspan(magic_4.size())));
  if (has_at(file.beginning, 0, magic_5)) return recognise_rar_5(FieldReader(file.beginning.subspan(magic_5.size())));
  return std::nullopt;
}

}  // namespace phalanx
