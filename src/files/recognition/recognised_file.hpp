// This header has the kinds of files that are told apart, and what is said of one.
#pragma once

#include <cstdint>
#include <string>

namespace phalanx {

/// docs/what_is_this_file.md has a row for each kind, under its name.
enum class FileKind : std::uint8_t {
  unknown,  ///< bytes that look random: ciphertext without a header is among them
  data,     ///< bytes of no kind below, which are not random
  // of ours
  container,
  tree_index,
  tree_record,
  manifest,
  in_place_journal,
  resume_record,
  header_record,
  // old ciphertext that we read
  openssl_enc,
  base64,  ///< of bytes that are no other kind
  hex,     ///< of bytes that are no other kind
  // other programs' ciphertext, signatures and keys
  age,
  age_key,
  openpgp,
  openpgp_key,
  cms,
  private_key,
  public_key,
  certificate,
  pkcs12,
  java_keystore,
  luks,
  bitlocker,
  ansible_vault,
  fernet,
  jwe,
  jws,
  keepass,
  vimcrypt,
  git_crypt,
  aescrypt,
  mcrypt,
  // archives, documents and text
  zip,
  seven_zip,
  rar,
  gzip,
  xz,
  bzip2,
  zstd,
  lz4,
  lzip,
  tar,
  cpio,
  debian_package,
  pdf,
  office,
  png,
  jpeg,
  gif,
  mp4,
  riff,
  elf,
  sqlite,
  text,
};

enum class Protection : std::uint8_t {
  unknown,    ///< nothing shows whether it is encrypted
  none,       ///< everybody can read it
  encrypted,  ///< it takes a key, a passphrase or an identity
  is_signed,  ///< everybody can read it, and it has a signature
};

/// Holds what the recogniser says of a file. It is a name, and no evidence: nothing may be opened, taken for done or removed
/// because of it.
struct RecognisedFile {
  FileKind kind = FileKind::unknown;
  Protection protection = Protection::unknown;
  std::string form{};         ///< "" for bytes; "PEM", "armor", "mail", "base64", "hex", "UTF-16", or two of them
  std::string description{};  ///< for messages: "FILE is ..."
  std::string opened_by{};    ///< for messages: whose program reads it; "" where nothing is known of that
  bool is_certain = true;     ///< random bytes begin so less than once in 2^32 times; else messages say "may be"
  bool is_cut = false;        ///< the file says how long it is, and is shorter
};

/// Returns the kind's name, which programs may compare: "container", "openssl-enc".
[[nodiscard]] const char* name_of(FileKind kind);

/// Returns "unknown", "none", "encrypted" or "signed".
[[nodiscard]] const char* name_of(Protection protection);

/// Says whether it is named for certain, and neither `unknown` nor `data`.
[[nodiscard]] bool is_named(const RecognisedFile& file);

/// Says whether everybody can read it: text, a compressed file, a certificate, a signed message.
[[nodiscard]] bool is_readable_by_all(const RecognisedFile& file);

/// Returns the words behind a file's name: "is a file of age ...: age -d ... opens it". They begin with "may be" for an
/// uncertain kind.
[[nodiscard]] std::string words_of(const RecognisedFile& file);

}  // namespace phalanx
