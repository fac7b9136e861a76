#include "files/recognition/age_header.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "files/recognition/byte_fields.hpp"

namespace phalanx {
namespace {

// Counts the stanzas of each type.
std::map<std::string, std::size_t> stanza_types(std::string_view text) {
  constexpr std::string_view stanza_mark = "-> ", end_mark = "---";
  std::map<std::string, std::size_t> types;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    text = text.substr(std::min(line_end + 1, text.size()));
    if (line.starts_with(end_mark)) break;
    if (!line.starts_with(stanza_mark)) continue;
    const std::string type(line.substr(stanza_mark.size(), line.find(' ', stanza_mark.size()) - stanza_mark.size()));
    const bool is_visible = std::ranges::all_of(type, [](char c) { return c > ' ' && c < 0x7f; });
    if (is_visible && !type.ends_with("-grease")) ++types[type];
  }
  return types;
}

}  // namespace

RecognisedFile describe_age(Bytes beginning) {
  std::string types, opened_by = "age -d -i IDENTITY FILE";
  constexpr std::size_t most_characters = 120;
  for (const auto& [type, number] : stanza_types(text_of(beginning))) {
    if (types.size() + type.size() > most_characters) continue;
    types += (types.empty() ? "" : ", ") + (number == 1 ? "" : std::to_string(number) + " x ") + type;
    if (type == "scrypt") opened_by = "age -d FILE, with the passphrase,";
  }
  return {.kind = FileKind::age,
          .protection = Protection::encrypted,
          .description = "a file of age" + (types.empty() ? "" : ", for " + types),
          .opened_by = std::move(opened_by)};
}

}  // namespace phalanx
