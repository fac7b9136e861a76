#include "files/foreign/cms/cms_source.hpp"

#include <algorithm>
#include <optional>
#include <phalanx/error.hpp>
#include <string_view>

#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

constexpr std::size_t beginning_bytes = std::size_t{64} << 10;  // in which a mail's headers end
constexpr char der_beginning = 0x30;                            // SEQUENCE

struct TextBeginning {
  std::string form;
  std::size_t num_bytes = 0;  // before the body
  bool is_base64 = true;
};

// Takes the next line, without its end.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_label_of_cms(std::string_view line) {
  constexpr std::string_view labels[] = {"-----BEGIN CMS-----", "-----BEGIN PKCS7-----", "-----BEGIN PKCS #7",
                                         "-----BEGIN ENCRYPTED MESSAGE-----"};  // the last is of gpgsm
  return std::ranges::any_of(labels, [&](std::string_view label) { return line.starts_with(label); });
}

// Text may stand before a block of PEM.
std::optional<TextBeginning> find_pem(std::string_view all) {
  std::string_view text = all;
  while (const std::optional<std::string_view> line = take_line(text)) {
    if (is_label_of_cms(*line)) return TextBeginning{.form = "PEM", .num_bytes = all.size() - text.size()};
  }
  return std::nullopt;
}

bool is_field_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
}

// A mail has the headers of RFC 5322, of which two count here.
std::optional<TextBeginning> find_mail(std::string_view all, const std::string& name) {
  std::string_view text = all;
  std::string type, encoding, *field = nullptr;
  for (;;) {
    const std::optional<std::string_view> line = take_line(text);
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (line->front() == ' ' || line->front() == '\t') {
      if (field != nullptr) *field += lower_case(*line);
      continue;
    }
    if (colon == line->npos || !is_field_name(line->substr(0, colon))) return std::nullopt;
    const std::string header = lower_case(line->substr(0, colon));
    field = header == "content-type" ? &type : header == "content-transfer-encoding" ? &encoding : nullptr;
    if (field != nullptr) *field = lower_case(line->substr(colon + 1));
  }
  if (type.find("pkcs7-mime") == type.npos && type.find("application/octet-stream") == type.npos) {
    throw Error(ErrorCode::format,
                name + " is a mail whose body is no encrypted S/MIME message: save the part smime.p7m, and decrypt that",
                {.name = name});
  }
  return TextBeginning{
      .form = "mail", .num_bytes = all.size() - text.size(), .is_base64 = encoding.find("base64") != encoding.npos};
}

// Base64 of a SEQUENCE begins with M.
std::optional<TextBeginning> find_base64(std::string_view text) {
  const bool may_be = text.starts_with('M') && std::ranges::all_of(text, [](char c) {
                        const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                        return is_letter || std::string_view("+/= \t\r\n").find(c) != std::string_view::npos;
                      });
  return may_be ? std::optional(TextBeginning{.form = "base64"}) : std::nullopt;
}

}  // namespace

std::size_t CmsSource::Rest::read(MutableBytes out) {
  const std::size_t ready = std::min(out.size(), beginning.size() - num_taken);
  std::copy_n(beginning.begin() + static_cast<std::ptrdiff_t>(num_taken), ready, out.begin());
  num_taken += ready;
  return ready == out.size() ? ready : ready + source_.read(out.subspan(ready));
}

std::size_t CmsSource::TextBody::read(MutableBytes out) {
  if (has_ended_) return 0;
  const std::size_t got = source_.read(out);
  const auto text = out.first(got);
  const auto end = static_cast<std::size_t>(std::ranges::find(text, std::uint8_t{'-'}) - text.begin());
  has_ended_ = end < out.size();
  return end;
}

CmsSource::CmsSource(ByteSource& source, const std::string& name, SkippingSource* skipping)
    : skipping_(skipping), rest_(source), body_(rest_), decoded_(body_) {
  rest_.beginning.resize(beginning_bytes);
  rest_.beginning.resize(source.read(rest_.beginning));
  if (rest_.beginning.empty()) throw Error(ErrorCode::truncated, name + " is empty", {.name = name});
  decide(name);
}

void CmsSource::decide(const std::string& name) {
  std::string_view text(reinterpret_cast<const char*>(rest_.beginning.data()), rest_.beginning.size());
  if (text.front() == der_beginning) return;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::size_t before = rest_.beginning.size() - text.size();
  std::optional<TextBeginning> found = find_pem(text);
  if (!found) found = find_mail(text, name);
  if (!found) found = find_base64(text);
  if (!found) throw Error(ErrorCode::format, name + " is no message of CMS or S/MIME", {.name = name});
  form_ = found->form;
  rest_.num_taken = before + found->num_bytes;
  offset_ = rest_.num_taken;
  const bool is_der = rest_.num_taken < rest_.beginning.size() && rest_.beginning[rest_.num_taken] == der_beginning;
  is_base64_ = found->is_base64 || !is_der;
}

std::size_t CmsSource::read(MutableBytes out) { return is_base64_ ? decoded_.read(out) : rest_.read(out); }

void CmsSource::skip(std::uint64_t num_bytes) {
  const std::uint64_t ready = std::min<std::uint64_t>(num_bytes, rest_.beginning.size() - rest_.num_taken);
  rest_.num_taken += static_cast<std::size_t>(ready);
  skipping_->skip(num_bytes - ready);
}

}  // namespace phalanx
