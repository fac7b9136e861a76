#include "files/recognition/recognise.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/text/counted.hpp"
#include "files/foreign/base64_text.hpp"
#include "files/recognition/archives.hpp"
#include "files/recognition/byte_fields.hpp"
#include "files/recognition/der_structures.hpp"
#include "files/recognition/fixed_beginnings.hpp"
#include "files/recognition/mail_header.hpp"
#include "files/recognition/openpgp_packets.hpp"
#include "files/recognition/pem_blocks.hpp"
#include "files/recognition/randomness.hpp"
#include "files/recognition/tokens.hpp"
#include "files/recognition/utf16_text.hpp"

namespace phalanx {
namespace {

constexpr std::size_t surely_text_bytes = 32;  // random bytes are text of this length less than once in 2^32 times
constexpr int most_wrappings = 2;              // such as UTF-16 of base64

RecognisedFile recognise_below(const FileGlimpse& file, int num_wrappings);

// This is one way in which the bytes of another file lie in a text.
struct Wrapping {
  FileKind kind;
  const char* form;     // "base64"
  const char* command;  // which takes it off
};

constexpr Wrapping in_base64{FileKind::base64, "base64", "base64 -di FILE"};
constexpr Wrapping in_url_safe_base64{FileKind::base64, "url-safe base64", "tr '_-' '/+' <FILE | base64 -di"};
constexpr Wrapping in_hex{FileKind::hex, "hex", "xxd -r -p FILE"};

// Adds the wrapping to what is known of a file in a text. We read base64 of `openssl enc` as it is.
RecognisedFile wrap(RecognisedFile inner, const Wrapping& wrapping) {
  const bool is_read_so = inner.kind == FileKind::openssl_enc && std::string_view(wrapping.form) == in_base64.form;
  inner.description = std::string(wrapping.form) + " of " + inner.description;
  inner.form = wrapping.form + (inner.form.empty() ? "" : ", " + inner.form);
  if (is_read_so) {
    inner.opened_by = "phalanx raw decrypt, or openssl enc -d -a,";
  } else {
    inner.opened_by = wrapping.command + (inner.opened_by.empty() ? "" : ", and then " + inner.opened_by);
  }
  return inner;
}

RecognisedFile describe_wrapped(Bytes bytes, bool is_whole, const Wrapping& wrapping, int num_wrappings) {
  FileGlimpse glimpse = glimpse_of(bytes);
  if (!is_whole) glimpse.num_bytes = unknown_size;
  if (num_wrappings < most_wrappings && !bytes.empty()) {
    RecognisedFile inner = recognise_below(glimpse, num_wrappings + 1);
    if (is_named(inner)) return wrap(std::move(inner), wrapping);
  }
  const std::string size = is_whole ? count_bytes(bytes.size()) : "bytes";
  const bool is_random = look_random(bytes);
  std::string opener = std::string(wrapping.command) + ", and then phalanx raw decrypt,";
  if (std::string_view(wrapping.form) == in_base64.form) opener = "phalanx raw decrypt, with the key,";
  return {
      .kind = wrapping.kind,
      .protection = Protection::unknown,
      .form = wrapping.form,
      .description = std::string(wrapping.form) + " of " + size + (is_random ? " that look random" : " of no known format"),
      .opened_by = std::move(opener)};
}

bool is_space(char character) { return std::string_view(" \t\r\n").find(character) != std::string_view::npos; }

// Says whether all digits are decimal, and the words are of several lengths. The last word may be a shorter line of hex.
bool is_list_of_numbers(std::string_view text) {
  std::size_t first_length = 0, last_length = 0, length = 0;
  bool differs = false;
  for (const char character : text) {
    if (is_space(character)) {
      if (length > 0) last_length = length;
      length = 0;
      continue;
    }
    if (character < '0' || character > '9') return false;
    if (length == 0 && last_length > 0) {  // a word follows, so that the one before is not the last
      if (first_length == 0) first_length = last_length;
      differs = differs || last_length != first_length;
    }
    ++length;
  }
  return differs;
}

// Reads hex digits with white space between them.
std::optional<std::vector<std::uint8_t>> read_hex(std::string_view text, bool is_whole) {
  std::vector<std::uint8_t> bytes;
  std::size_t num_digits = 0;
  for (const char character : text) {
    if (is_space(character)) continue;
    const std::size_t value = std::string_view("0123456789abcdefABCDEF").find(character);
    if (value == std::string_view::npos) return std::nullopt;
    const auto digit = static_cast<std::uint8_t>(value < 16 ? value : value - 6);
    if (num_digits % 2 == 0) {
      bytes.push_back(digit);
    } else {
      bytes.back() = static_cast<std::uint8_t>(bytes.back() << 4 | digit);
    }
    ++num_digits;
  }
  if (num_digits < surely_text_bytes || (is_whole && num_digits % 2 != 0) || is_list_of_numbers(text)) return std::nullopt;
  bytes.resize(num_digits / 2);
  return bytes;
}

std::optional<RecognisedFile> recognise_encoded(std::string_view text, bool is_whole, int num_wrappings) {
  if (const auto bytes = read_hex(text, is_whole)) return describe_wrapped(*bytes, is_whole, in_hex, num_wrappings);
  const auto found = read_base64(bytes_of(text));
  if (found && (found->is_likely || begins_as_salted_base64(bytes_of(text))))
    return describe_wrapped(found->decoded, is_whole, in_base64, num_wrappings);
  const auto url_safe = read_base64(bytes_of(text), Base64Alphabet::url_safe);
  if (url_safe && url_safe->is_likely)
    return describe_wrapped(url_safe->decoded, is_whole, in_url_safe_base64, num_wrappings);
  if (begins_as_salted_base64(bytes_of(text))) {
    RecognisedFile salted{.kind = FileKind::openssl_enc,
                          .protection = Protection::encrypted,
                          .description = "a file of `openssl enc`, under a passphrase"};
    return wrap(std::move(salted), in_base64);
  }
  return std::nullopt;
}

std::optional<RecognisedFile> recognise_age_key(std::string_view text) {
  constexpr std::string_view identity = "AGE-SECRET-KEY-", plugin = "AGE-PLUGIN-",
                             comment = "# created: ", recipient = "age1";
  constexpr std::size_t least_recipient_characters = 58;
  const bool is_identity = text.starts_with(identity) || text.starts_with(plugin) ||
                           (text.starts_with(comment) && text.find("\nAGE-") != text.npos);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  const auto is_of_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool is_recipient =
      word.starts_with(recipient) && word.size() >= least_recipient_characters && std::ranges::all_of(word, is_of_word);
  if (!is_identity && !is_recipient) return std::nullopt;
  return RecognisedFile{
      .kind = FileKind::age_key,
      .protection = Protection::none,
      .description = is_identity ? "an identity of age, which opens what is sealed for it" : "a public key of age",
      .opened_by = "age, or phalanx,"};
}

RecognisedFile plain_text(std::string_view text, const char* encoding) {
  return {.kind = FileKind::text,
          .protection = Protection::none,
          .description = std::string("text (") + encoding + ")",
          .is_certain = text.size() >= surely_text_bytes};
}

RecognisedFile recognise_text(std::string_view text, bool is_whole, const char* encoding, int num_wrappings) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::string_view trimmed = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (auto found = recognise_age_key(trimmed)) return *std::move(found);
  if (auto found = recognise_pem(text)) return *std::move(found);
  if (auto found = recognise_mail(trimmed)) return *std::move(found);
  if (auto found = recognise_token(trimmed, is_whole)) return *std::move(found);
  if (auto found = recognise_encoded(text, is_whole, num_wrappings)) return *std::move(found);
  return plain_text(text, encoding);
}

const char* encoding_of(Bytes text) {
  return std::ranges::all_of(text, [](std::uint8_t byte) { return byte < 0x80; }) ? "ASCII" : "UTF-8";
}

// Letters of another set of 8 bits stand between many of ASCII.
bool is_text_of_eight_bits(Bytes bytes) {
  constexpr std::size_t least_bytes = 64;
  std::size_t num_ascii = 0;
  for (const std::uint8_t byte : bytes) {
    const bool is_ascii = (byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
    if (!is_ascii && byte < 0x80) return false;
    num_ascii += is_ascii ? 1 : 0;
  }
  return bytes.size() >= least_bytes && num_ascii * 5 >= bytes.size() * 4;
}

std::optional<RecognisedFile> recognise_characters(const FileGlimpse& file, int num_wrappings) {
  const Bytes bytes = file.beginning;
  if (is_text(bytes, !file.is_whole()))
    return recognise_text(text_of(bytes), file.is_whole(), encoding_of(bytes), num_wrappings);
  if (is_text_of_eight_bits(bytes))
    return recognise_text(text_of(bytes), file.is_whole(), "ISO 8859, or another set of 8 bits", num_wrappings);
  if (const std::optional<std::string> text = read_utf16(bytes)) {
    RecognisedFile found = recognise_text(*text, file.is_whole(), "UTF-16", num_wrappings + 1);
    found.is_certain = true;
    if (found.kind == FileKind::text) return found;
    return wrap(std::move(found), {FileKind::text, "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"});
  }
  constexpr std::string_view pem = "-----BEGIN ";
  return has_at(bytes, 0, pem) ? recognise_pem(text_of(bytes)) : recognise_mail(text_of(bytes));
}

RecognisedFile describe_unknown(const FileGlimpse& file) {
  const bool is_random = look_random(file.beginning);
  return {.kind = is_random ? FileKind::unknown : FileKind::data,
          .description = is_random
                             ? "bytes that look random, which nothing tells from ciphertext without a header, a volume of "
                               "VeraCrypt or a key"
                             : "bytes of no known format, which are not random"};
}

RecognisedFile recognise_below(const FileGlimpse& file, int num_wrappings) {
  if (auto found = recognise_beginning(file)) return *std::move(found);
  if (auto found = recognise_zip(file)) return *std::move(found);
  if (auto found = recognise_seven_zip(file)) return *std::move(found);
  if (auto found = recognise_rar(file)) return *std::move(found);
  if (auto found = recognise_plain_format(file)) return *std::move(found);
  if (auto found = recognise_der(file)) return *std::move(found);
  if (auto found = recognise_openpgp(file)) return *std::move(found);
  if (auto found = recognise_characters(file, num_wrappings)) return *std::move(found);
  return describe_unknown(file);
}

}  // namespace

RecognisedFile recognise(const FileGlimpse& file) { return recognise_below(file, 0); }

}  // namespace phalanx
