#include "files/recognition/tokens.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "files/foreign/base64_text.hpp"
#include "files/recognition/byte_fields.hpp"

namespace phalanx {
namespace {

RecognisedFile token_of(FileKind kind, Protection protection, std::string description, std::string opened_by) {
  return {.kind = kind, .protection = protection, .description = std::move(description), .opened_by = std::move(opened_by)};
}

std::string_view without_line_ends(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool is_url_safe_word(std::string_view text) {
  const auto is_one = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return std::ranges::all_of(text, is_one);
}

// A vault begins with "$ANSIBLE_VAULT;1.1;AES256", in later versions with a label.
std::optional<RecognisedFile> recognise_vault(std::string_view text) {
  constexpr std::string_view magic = "$ANSIBLE_VAULT;";
  if (!text.starts_with(magic)) return std::nullopt;
  return token_of(FileKind::ansible_vault, Protection::encrypted, "a vault of Ansible", "ansible-vault view FILE");
}

// A version byte 0x80, 8 bytes of time, an iv of 16, whole blocks of 16, and a MAC of 32: the Fernet specification.
std::optional<RecognisedFile> recognise_fernet(std::string_view text, bool is_whole) {
  constexpr std::string_view begin = "gAAAAA";  // the version, and times before 2106
  constexpr std::size_t least_bytes = 1 + 8 + 16 + 16 + 32, block_bytes = 16, bytes_beside_blocks = 1 + 8 + 32;
  std::string_view word = without_line_ends(text);
  if (!word.starts_with(begin)) return std::nullopt;
  while (word.ends_with('=')) word.remove_suffix(1);
  const std::size_t num_bytes = word.size() * 3 / 4;
  if (!is_url_safe_word(word) || num_bytes < least_bytes) return std::nullopt;
  if (is_whole && (num_bytes - bytes_beside_blocks) % block_bytes != 0) return std::nullopt;
  return token_of(FileKind::fernet, Protection::encrypted, "a Fernet token",
                  "Fernet(key).decrypt of Python's package cryptography");
}

// Returns the JSON that a part holds, or "".
std::string json_in(std::string_view part) {
  std::string text(part);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  const std::vector<std::uint8_t> bytes = decode_base64_before(text, "\n");
  return has_at(bytes, 0, "{") ? std::string(text_of(bytes)) : "";
}

// RFC 7516 section 3.1 and RFC 7515 section 3.1: five parts, or three, of which the first is an object.
std::optional<RecognisedFile> recognise_compact(std::string_view text) {
  const std::string_view word = without_line_ends(text);
  if (!word.starts_with("eyJ")) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find('.', begin), word.size());
    parts.push_back(word.substr(begin, end - begin));
    if (!is_url_safe_word(parts.back())) return std::nullopt;
    begin = end + 1;
  }
  const std::string header = json_in(parts.front());
  if (parts.size() >= 4 && header.find("\"enc\"") != header.npos)
    return token_of(FileKind::jwe, Protection::encrypted, "a JWE token (RFC 7516)", "a JOSE library, such as jwcrypto,");
  if (parts.size() == 3 && header.find("\"alg\"") != header.npos)
    return token_of(FileKind::jws, Protection::is_signed, "a signed token (JWS, JWT), which is not encrypted",
                    "a JOSE library, such as jwcrypto,");
  return std::nullopt;
}

// RFC 7516 section 3.2.
std::optional<RecognisedFile> recognise_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || text[begin] != '{') return std::nullopt;
  const auto has = [&](std::string_view member) { return text.find(member) != text.npos; };
  if (has("\"ciphertext\"") && has("\"iv\"") && has("\"tag\"") && (has("\"protected\"") || has("\"unprotected\"")))
    return token_of(FileKind::jwe, Protection::encrypted, "a JWE in JSON (RFC 7516)", "a JOSE library, such as jwcrypto,");
  if (has("\"payload\"") && has("\"signature\"") && has("\"protected\""))
    return token_of(FileKind::jws, Protection::is_signed, "a signed JWS in JSON, which is not encrypted",
                    "a JOSE library, such as jwcrypto,");
  return std::nullopt;
}

}  // namespace

std::optional<RecognisedFile> recognise_token(std::string_view text, bool is_whole) {
  if (auto found = recognise_vault(text)) return found;
  if (auto found = recognise_fernet(text, is_whole)) return found;
  if (auto found = recognise_compact(text)) return found;
  return recognise_json(text);
}

}  // namespace phalanx
