#include "files/recognition/recognised_file.hpp"

#include <iterator>

namespace phalanx {
namespace {

constexpr const char* kind_names[] = {"unknown",
                                      "data",
                                      "container",
                                      "tree-index",
                                      "tree-record",
                                      "manifest",
                                      "in-place-journal",
                                      "resume-record",
                                      "header-record",
                                      "openssl-enc",
                                      "base64",
                                      "hex",
                                      "age",
                                      "age-key",
                                      "openpgp",
                                      "openpgp-key",
                                      "cms",
                                      "private-key",
                                      "public-key",
                                      "certificate",
                                      "pkcs12",
                                      "java-keystore",
                                      "luks",
                                      "bitlocker",
                                      "ansible-vault",
                                      "fernet",
                                      "jwe",
                                      "jws",
                                      "keepass",
                                      "vimcrypt",
                                      "git-crypt",
                                      "aescrypt",
                                      "mcrypt",
                                      "zip",
                                      "7z",
                                      "rar",
                                      "gzip",
                                      "xz",
                                      "bzip2",
                                      "zstd",
                                      "lz4",
                                      "lzip",
                                      "tar",
                                      "cpio",
                                      "debian-package",
                                      "pdf",
                                      "office",
                                      "png",
                                      "jpeg",
                                      "gif",
                                      "mp4",
                                      "riff",
                                      "elf",
                                      "sqlite",
                                      "text"};
static_assert(std::size(kind_names) == static_cast<std::size_t>(FileKind::text) + 1);

}  // namespace

const char* name_of(FileKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const char* name_of(Protection protection) {
  constexpr const char* names[] = {"unknown", "none", "encrypted", "signed"};
  return names[static_cast<std::size_t>(protection)];
}

bool is_named(const RecognisedFile& file) {
  return file.is_certain && file.kind != FileKind::unknown && file.kind != FileKind::data;
}

bool is_readable_by_all(const RecognisedFile& file) {
  return file.protection == Protection::none || file.protection == Protection::is_signed;
}

std::string words_of(const RecognisedFile& file) {
  std::string words = (file.is_certain ? "is " : "may be ") + file.description;
  if (file.is_cut) words += ", and its end is missing";
  if (!file.opened_by.empty()) words += ": " + file.opened_by + (is_readable_by_all(file) ? " reads it" : " opens it");
  return words;
}

}  // namespace phalanx
