#include "files/recognition/mail_header.hpp"

#include <algorithm>
#include <string>

#include "engine/text/characters.hpp"
#include "files/foreign/base64_text.hpp"
#include "files/recognition/der_structures.hpp"

namespace phalanx {
namespace {

struct Mail {
  std::string content_type;  // in small letters
  std::string_view body;
};

bool is_name_of_field(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c != ':' && c < 0x7f; });
}

// Lines of "Name: value", of which those that begin with a space go on with the field before.
std::optional<Mail> read_mail(std::string_view text) {
  Mail mail;
  bool is_content_type = false;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, line_end);
    text = text.substr(std::min(line_end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    const bool goes_on = line.front() == ' ' || line.front() == '\t';
    const std::size_t colon = line.find(':');
    if (!goes_on && (colon == line.npos || !is_name_of_field(line.substr(0, colon)))) return std::nullopt;
    if (goes_on && is_first) return std::nullopt;
    if (!goes_on) is_content_type = lower_case(line.substr(0, colon)) == "content-type";
    if (is_content_type) mail.content_type += lower_case(goes_on ? line : line.substr(colon + 1));
  }
  mail.body = text;
  return mail;
}

RecognisedFile mail_of(FileKind kind, Protection protection, std::string description, std::string opened_by) {
  return {.kind = kind,
          .protection = protection,
          .form = "mail",
          .description = std::move(description),
          .opened_by = std::move(opened_by)};
}

// The body is the structure, in base64; where it is not, the field's words must do.
RecognisedFile recognise_smime(const Mail& mail) {
  const std::vector<std::uint8_t> bytes = decode_base64_before(mail.body, "\n-");
  const FileGlimpse glimpse{.beginning = bytes, .end = {}, .num_bytes = bytes.size()};
  std::optional<RecognisedFile> found = recognise_der(glimpse, "mail");
  if (found && found->kind == FileKind::cms) {
    found->description += " (a mail)";
    return *std::move(found);
  }
  const bool is_signed = mail.content_type.find("signed-data") != mail.content_type.npos;
  return mail_of(
      FileKind::cms, is_signed ? Protection::is_signed : Protection::encrypted,
      is_signed ? "a signed S/MIME mail, which is not encrypted" : "an encrypted S/MIME mail",
      is_signed ? "openssl cms -verify -noverify -in FILE" : "openssl cms -decrypt -in FILE -recip CERTIFICATE -inkey KEY");
}

}  // namespace

std::optional<RecognisedFile> recognise_mail(std::string_view text) {
  const std::optional<Mail> mail = read_mail(text);
  if (!mail) return std::nullopt;
  const std::string& type = mail->content_type;
  const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
  if (has("application/pkcs7-mime") || has("application/x-pkcs7-mime")) return recognise_smime(*mail);
  if (has("multipart/encrypted"))
    return mail_of(FileKind::openpgp, Protection::encrypted, "an encrypted OpenPGP mail", "a mail program, or gpg -d FILE,");
  if (!has("multipart/signed")) return std::nullopt;
  if (has("pgp-signature"))
    return mail_of(FileKind::openpgp, Protection::is_signed, "a signed OpenPGP mail, which is not encrypted",
                   "a mail program");
  return mail_of(FileKind::cms, Protection::is_signed, "a signed S/MIME mail, which is not encrypted",
                 "openssl cms -verify -noverify -in FILE");
}

}  // namespace phalanx
