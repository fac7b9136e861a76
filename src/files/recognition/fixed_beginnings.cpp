#include "files/recognition/fixed_beginnings.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "files/container/format/fixed_part.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/in_place/journal.hpp"
#include "files/recognition/age_header.hpp"
#include "files/recognition/byte_fields.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

struct FixedBeginning {
  std::string_view magic;
  FileKind kind;
  Protection protection;
  const char* description;
  const char* opened_by;
  std::size_t offset = 0;
};

constexpr Protection none = Protection::none, encrypted = Protection::encrypted;

constexpr const char* luks_opener = "phalanx raw decrypt, or cryptsetup open,";

// Our records begin with words of their rooms, and then a digit. The tests of tests/recognition/ compare them.
constexpr FixedBeginning beginnings[] = {
    {"PHALIDX\0"sv, FileKind::tree_index, none, "the index of a tree of containers", "phalanx verify"},
    {"phalanx journal"sv, FileKind::in_place_journal, Protection::unknown, "the journal of a stopped run in place",
     "the same command, given again,"},
    {"phalanx resume "sv, FileKind::resume_record, none, "the record of a run of Phalanx that was stopped",
     "the same command, given again,"},
    {"phalanx written"sv, FileKind::resume_record, none, "the record of a run of Phalanx that was stopped",
     "the same command, given again,"},
    {"phalanx header "sv, FileKind::header_record, none, "the record of a header that is rewritten", "phalanx recipients"},
    {"phalanx tree "sv, FileKind::tree_record, none, "the record of a tree of containers", "phalanx encrypt"},
    {"{\"phalanx_manifest\":"sv, FileKind::manifest, none, "the manifest of a migration", "phalanx migrate"},
    {"LUKS\xba\xbe\x00\x01"sv, FileKind::luks, encrypted, "a volume of LUKS 1", luks_opener},
    {"LUKS\xba\xbe\x00\x02"sv, FileKind::luks, encrypted, "a volume of LUKS 2", luks_opener},
    {"SKUL\xba\xbe\x00\x02"sv, FileKind::luks, encrypted, "a volume of LUKS 2 that has lost its first header", luks_opener,
     16384},
    {"SKUL\xba\xbe\x00\x02"sv, FileKind::luks, encrypted, "a volume of LUKS 2 that has lost its first header", luks_opener,
     32768},
    {"-FVE-FS-"sv, FileKind::bitlocker, encrypted, "a volume of BitLocker", "cryptsetup open, with its type bitlk,", 3},
    {"\x03\xd9\xa2\x9a\x65\xfb\x4b\xb5"sv, FileKind::keepass, encrypted, "a database of KeePass 1", "KeePassXC"},
    {"\x03\xd9\xa2\x9a\x66\xfb\x4b\xb5"sv, FileKind::keepass, encrypted, "a database of KeePass 2 (KDBX)", "KeePassXC"},
    {"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5"sv, FileKind::keepass, encrypted, "a database of KeePass 2 (KDBX)", "KeePassXC"},
    {"\xfe\xed\xfe\xed\x00\x00\x00\x02"sv, FileKind::java_keystore, encrypted, "a keystore of Java (JKS)", "Java's keytool"},
    {"\xce\xce\xce\xce\x00\x00\x00\x02"sv, FileKind::java_keystore, encrypted, "a keystore of Java (JCEKS)",
     "Java's keytool"},
    {"VimCrypt~01!"sv, FileKind::vimcrypt, encrypted, "a file of Vim's encryption (zip)", "vim FILE"},
    {"VimCrypt~02!"sv, FileKind::vimcrypt, encrypted, "a file of Vim's encryption (blowfish)", "vim FILE"},
    {"VimCrypt~03!"sv, FileKind::vimcrypt, encrypted, "a file of Vim's encryption (blowfish2)", "vim FILE"},
    {"VimCrypt~04!"sv, FileKind::vimcrypt, encrypted, "a file of Vim's encryption (xchacha20)", "vim FILE"},
    {"VimCrypt~05!"sv, FileKind::vimcrypt, encrypted, "a file of Vim's encryption (xchacha20)", "vim FILE"},
    {"\0GITCRYPT\0"sv, FileKind::git_crypt, encrypted, "a file of git-crypt", "git-crypt unlock"},
    {"AES\x00\x00"sv, FileKind::aescrypt, encrypted, "a file of AES Crypt", "aescrypt -d FILE"},
    {"AES\x01\x00"sv, FileKind::aescrypt, encrypted, "a file of AES Crypt", "aescrypt -d FILE"},
    {"AES\x02\x00"sv, FileKind::aescrypt, encrypted, "a file of AES Crypt", "aescrypt -d FILE"},
    {"AES\x03\x00"sv, FileKind::aescrypt, encrypted, "a file of AES Crypt", "aescrypt -d FILE"},
    {"LZIP\x01"sv, FileKind::lzip, none, "data compressed by lzip", "lzip -d"},
};

RecognisedFile file_of(FileKind kind, Protection protection, std::string description, std::string opened_by) {
  return {.kind = kind, .protection = protection, .description = std::move(description), .opened_by = std::move(opened_by)};
}

// mcrypt's header: a flag byte, the cipher's name, and the key's size, before a mode's name.
std::optional<RecognisedFile> recognise_mcrypt(Bytes data) {
  constexpr std::string_view names[] = {"rijndael-",   "des\0"sv, "tripledes\0"sv, "blowfish", "twofish\0"sv,
                                        "serpent\0"sv, "cast-",   "arcfour",       "loki97",   "saferplus",
                                        "wake",        "gost",    "rc2",           "xtea",     "enigma"};
  if (!has_at(data, 0, "\0m\3"sv)) return std::nullopt;
  const bool is_known = std::ranges::any_of(names, [&](std::string_view name) { return has_at(data, 4, name); });
  if (!is_known) return std::nullopt;
  return file_of(FileKind::mcrypt, encrypted, "a file of mcrypt", "mcrypt -d FILE");
}

// Version bits, a block size, and bytes that are 0 in both of its frames.
std::optional<RecognisedFile> recognise_lz4(Bytes data) {
  const bool is_frame = has_at(data, 0, "\x04\x22\x4d\x18"sv) && data.size() >= 7 && (data[4] & 0xc2U) == 0x40 &&
                        (data[5] & 0x8fU) == 0 && (data[5] >> 4) >= 4;
  return is_frame ? std::optional(file_of(FileKind::lz4, none, "data compressed by lz4", "lz4 -d")) : std::nullopt;
}

bool has_version(const FixedBeginning& one, Bytes data) {
  if (!one.magic.starts_with("phalanx ")) return true;
  const Bytes behind = data.subspan(one.magic.size());
  return !behind.empty() && behind.front() >= '0' && behind.front() <= '9';
}

bool holds_utf16(Bytes data, std::string_view ascii) {
  std::string wide;
  for (const char character : ascii) wide += {character, '\0'};
  return text_of(data).find(wide) != std::string_view::npos;
}

RecognisedFile describe_office(const FileGlimpse& file) {
  const bool is_encrypted = holds_utf16(file.beginning, "EncryptedPackage") || holds_utf16(file.end, "EncryptedPackage");
  return is_encrypted ? file_of(FileKind::office, encrypted, "an encrypted document of Office", "Office, or LibreOffice,")
                      : file_of(FileKind::office, Protection::unknown, "a document of Office (OLE), perhaps encrypted",
                                "Office, or LibreOffice,");
}

RecognisedFile describe_pdf(const FileGlimpse& file) {
  const auto has = [](Bytes data) { return text_of(data).find("/Encrypt ") != std::string_view::npos; };
  return has(file.beginning) || has(file.end)
             ? file_of(FileKind::pdf, encrypted, "an encrypted PDF document", "a reader of PDF, with its passphrase,")
             : file_of(FileKind::pdf, none, "a PDF document", "a reader of PDF");
}

struct PlainFormat {
  std::string_view name;  // as plaintext_kind.hpp has it
  FileKind kind;
  const char* description;
  const char* opened_by;
};

constexpr PlainFormat plain_formats[] = {
    {"gzip", FileKind::gzip, "data compressed by gzip", "gzip -d"},
    {"xz", FileKind::xz, "data compressed by xz", "xz -d"},
    {"bzip2", FileKind::bzip2, "data compressed by bzip2", "bzip2 -d"},
    {"zstd", FileKind::zstd, "data compressed by zstd", "zstd -d"},
    {"tar", FileKind::tar, "a tar archive", "tar -x"},
    {"cpio", FileKind::cpio, "a cpio archive", "cpio -i"},
    {"Debian package", FileKind::debian_package, "an ar archive, as Debian's packages are", "ar x"},
    {"PNG", FileKind::png, "a PNG image", ""},
    {"JPEG", FileKind::jpeg, "a JPEG image", ""},
    {"GIF", FileKind::gif, "a GIF image", ""},
    {"MP4", FileKind::mp4, "a video or sound file (MP4)", ""},
    {"RIFF", FileKind::riff, "a RIFF file (WAV, AVI or WebP)", ""},
    {"ELF", FileKind::elf, "a program or library (ELF)", ""},
    {"SQLite", FileKind::sqlite, "a database of SQLite", "sqlite3"},
};

}  // namespace

std::optional<RecognisedFile> recognise_beginning(const FileGlimpse& file) {
  const Bytes data = file.beginning;
  if (is_container(data)) return file_of(FileKind::container, encrypted, "a Phalanx container", "phalanx decrypt");
  if (openssl_encoding_of(data) == OpensslEncoding::binary) {
    RecognisedFile found = file_of(FileKind::openssl_enc, encrypted, "a file of `openssl enc`, under a passphrase",
                                   "phalanx raw decrypt, or openssl enc -d,");
    found.is_cut = file.num_bytes < openssl_header_bytes;
    return found;
  }
  if (has_at(data, 0, age_magic)) return describe_age(data);
  for (const FixedBeginning& one : beginnings) {
    if (has_at(data, one.offset, one.magic) && has_version(one, data))
      return file_of(one.kind, one.protection, one.description, one.opened_by);
  }
  if (auto found = recognise_mcrypt(data)) return found;
  return recognise_lz4(data);
}

std::optional<RecognisedFile> recognise_plain_format(const FileGlimpse& file) {
  const char* const name = recognise_plaintext(file.beginning, file.is_whole());
  if (name == nullptr) return std::nullopt;
  if (name == "OLE"sv) return describe_office(file);
  if (name == "PDF"sv) return describe_pdf(file);
  const auto* const format = std::ranges::find(plain_formats, std::string_view(name), &PlainFormat::name);
  if (format == std::end(plain_formats)) return std::nullopt;
  return file_of(format->kind, none, format->description, format->opened_by);
}

}  // namespace phalanx
