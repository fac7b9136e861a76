#include "files/recognition/pem_blocks.hpp"

#include <string>

#include "files/foreign/base64_text.hpp"
#include "files/recognition/age_header.hpp"
#include "files/recognition/byte_fields.hpp"
#include "files/recognition/der_structures.hpp"
#include "files/recognition/openpgp_packets.hpp"

namespace phalanx {
namespace {

constexpr std::string_view begin_mark = "-----BEGIN ", label_end = "-----";

struct Block {
  std::string_view label;
  std::string_view headers;  // lines of "Name: value"
  std::string_view body;     // what follows them, to the end of the text
};

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

// Returns the text behind its first line.
std::string_view behind_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == text.npos ? std::string_view() : text.substr(end + 1);
}

std::optional<Block> find_block(std::string_view text) {
  std::size_t at = text.find(begin_mark);
  while (at != text.npos && at != 0 && text[at - 1] != '\n') at = text.find(begin_mark, at + 1);
  if (at == text.npos) return std::nullopt;
  const std::string_view line = first_line(text.substr(at + begin_mark.size()));
  const std::size_t end = line.find(label_end);
  if (end == line.npos || end == 0) return std::nullopt;
  Block block{.label = line.substr(0, end), .headers = {}, .body = behind_line(text.substr(at))};
  const std::string_view all = block.body;
  while (first_line(block.body).find(": ") != std::string_view::npos) block.body = behind_line(block.body);
  block.headers = all.substr(0, all.size() - block.body.size());
  return block;
}

// Decodes a block, up to its end or to the checksum of OpenPGP's armor.
std::vector<std::uint8_t> bytes_in(const Block& block) {
  const std::string_view body = block.body.substr(0, block.body.find(label_end));
  return decode_base64_before(body, "\n=");
}

RecognisedFile block_of(FileKind kind, Protection protection, std::string description, std::string opened_by) {
  return {.kind = kind,
          .protection = protection,
          .form = "PEM",
          .description = std::move(description),
          .opened_by = std::move(opened_by)};
}

// The file is not seen to its end: no length in it counts.
FileGlimpse beginning_in(const std::vector<std::uint8_t>& bytes) {
  return {.beginning = bytes, .end = {}, .num_bytes = bytes.size()};
}

std::optional<RecognisedFile> recognise_openpgp_block(const Block& block) {
  if (!block.label.starts_with("PGP ")) return std::nullopt;
  const std::vector<std::uint8_t> bytes = bytes_in(block);
  std::optional<RecognisedFile> found = recognise_openpgp(beginning_in(bytes));
  if (!found && block.label == "PGP MESSAGE") {
    found = block_of(FileKind::openpgp, Protection::unknown, "an OpenPGP message", "gpg -d FILE");
  } else if (!found && block.label.find("KEY BLOCK") != block.label.npos) {
    found = block_of(FileKind::openpgp_key, Protection::unknown, "an OpenPGP key", "gpg");
  } else if (!found) {
    found = block_of(FileKind::openpgp, Protection::is_signed, "a signed OpenPGP message, which is not encrypted",
                     "gpg -d FILE");
  }
  found->form = "armor";
  found->is_cut = false;
  found->description += " (armored)";
  return found;
}

RecognisedFile openssh_key_of(const Block& block) {
  constexpr std::string_view magic("openssh-key-v1\0", 15);
  const std::vector<std::uint8_t> bytes = bytes_in(block);
  FieldReader fields(bytes);
  const bool is_known = has_at(bytes, 0, magic) && fields.skip(magic.size());
  const std::optional<std::uint64_t> name_bytes = is_known ? fields.big(4) : std::nullopt;
  const std::optional<Bytes> cipher = name_bytes ? fields.take(*name_bytes) : std::nullopt;
  const bool is_open = cipher && text_of(*cipher) == "none";
  const Protection protection = !cipher ? Protection::unknown : is_open ? Protection::none : Protection::encrypted;
  return block_of(FileKind::private_key, protection,
                  is_open  ? "a private key of OpenSSH without a passphrase"
                  : cipher ? "a private key of OpenSSH under a passphrase"
                           : "a private key of OpenSSH",
                  "ssh-keygen -y -f FILE");
}

RecognisedFile private_key_of(const Block& block) {
  const bool is_encrypted =
      block.label.starts_with("ENCRYPTED ") || block.headers.find("ENCRYPTED") != std::string_view::npos;
  return block_of(FileKind::private_key, is_encrypted ? Protection::encrypted : Protection::none,
                  is_encrypted ? "a private key under a passphrase (PEM)" : "a private key that is not encrypted (PEM)",
                  "openssl pkey -in FILE");
}

std::optional<RecognisedFile> recognise_cms_block(const Block& block) {
  const bool is_of_gpgsm = block.label == "ENCRYPTED MESSAGE";
  const bool is_of_openssl = block.label == "CMS" || block.label.starts_with("PKCS7") || block.label.starts_with("PKCS #7");
  if (!is_of_openssl && !is_of_gpgsm) return std::nullopt;
  const std::vector<std::uint8_t> bytes = bytes_in(block);
  std::optional<RecognisedFile> found = recognise_der(beginning_in(bytes), "PEM");
  if (!found || found->kind != FileKind::cms) {
    found = block_of(FileKind::cms, Protection::unknown, "CMS (PKCS #7, S/MIME)",
                     "openssl cms -cmsout -print -inform PEM -in FILE");
  }
  found->description += " (PEM)";
  return found;
}

std::optional<RecognisedFile> recognise_block(const Block& block) {
  const std::string_view label = block.label;
  if (auto found = recognise_openpgp_block(block)) return found;
  if (auto found = recognise_cms_block(block)) return found;
  if (label == "AGE ENCRYPTED FILE") {
    RecognisedFile found = describe_age(bytes_in(block));
    found.form = "armor";
    found.description += " (armored)";
    return found;
  }
  if (label == "OPENSSH PRIVATE KEY") return openssh_key_of(block);
  if (label.ends_with("PRIVATE KEY")) return private_key_of(block);
  if (label.ends_with("PUBLIC KEY"))
    return block_of(FileKind::public_key, Protection::none, "a public key (PEM)", "openssl pkey -pubin -in FILE");
  if (label.find("CERTIFICATE") != label.npos || label == "X509 CRL")
    return block_of(FileKind::certificate, Protection::none, "an X.509 certificate, request or list (PEM)",
                    label.ends_with("REQUEST") ? "openssl req -in FILE" : "openssl x509 -in FILE");
  return std::nullopt;
}

}  // namespace

std::optional<RecognisedFile> recognise_pem(std::string_view text) {
  while (const std::optional<Block> block = find_block(text)) {
    if (auto found = recognise_block(*block)) return found;
    text = block->body;  // parameters may stand before a key
  }
  return std::nullopt;
}

}  // namespace phalanx
