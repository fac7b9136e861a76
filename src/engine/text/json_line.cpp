#include "engine/text/json_line.hpp"

#include <algorithm>
#include <charconv>
#include <phalanx/error.hpp>
#include <utility>

#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/utf8.hpp"

namespace phalanx {
namespace {

// Returns how many bytes, one at least, begin a character that then does not go on (the Unicode Standard, section 3.9,
// "U+FFFD Substitution of Maximal Subparts"). The third byte and the fourth of a character may be any of 80 to bf.
std::size_t broken_character_bytes(std::string_view text) {
  std::size_t size = 1;
  for (std::size_t tried = 2; tried <= std::min<std::size_t>(3, text.size()); ++tried) {
    const std::string completed = std::string(text.substr(0, tried)) + "\x80\x80";
    if (utf8_character_bytes(bytes_of(completed)) > tried) size = tried;
  }
  return size;
}

std::string escape_of(char character) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  const std::size_t found = plain.find(character);
  if (found != std::string_view::npos) return {'\\', letters[found]};
  const auto code = static_cast<std::uint8_t>(character);
  return code < 0x20 ? "\\u00" + encode_hex({&code, 1}) : std::string(1, character);
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(bytes_of(text));
    if (size == 0) {
      json += "\xef\xbf\xbd";  // U+FFFD
    } else {
      json += size == 1 ? escape_of(text.front()) : std::string(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? broken_character_bytes(text) : size);
  }
  return json + '"';
}

[[noreturn]] void refuse() { throw Error(ErrorCode::usage, "no JSON as it is expected here"); }

// RFC 3629, section 3.
std::string utf8_of(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto next = [&](unsigned shift) { return byte(0x80U | ((code >> shift) & 0x3fU)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0U | code >> 6), next(0)};
  if (code < 0x10000) return {byte(0xe0U | code >> 12), next(6), next(0)};
  return {byte(0xf0U | code >> 18), next(12), next(6), next(0)};
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(bytes_of(text));
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void JsonLine::begin(std::string_view name) {
  text_ += text_.empty() ? '{' : ',';
  text_ += quoted(name) + ':';
}

void JsonLine::put(std::string_view name, std::string_view text) {
  begin(name);
  text_ += quoted(text);
}

void JsonLine::put(std::string_view name, bool is_true) {
  begin(name);
  text_ += is_true ? "true" : "false";
}

void JsonLine::put(std::string_view name, std::uint64_t number) {
  begin(name);
  text_ += std::to_string(number);
}

void JsonLine::put(std::string_view name, std::span<const std::string> texts) {
  begin(name);
  text_ += '[';
  for (const std::string& text : texts) {
    if (&text != texts.data()) text_ += ',';
    text_ += quoted(text);
  }
  text_ += ']';
}

class JsonObject::Parser {
 public:
  Parser(std::string_view rest, unsigned most_depth) : rest_(rest), most_depth_(most_depth) {}

  std::map<std::string, Value> read() {
    if (!is_utf8(rest_)) refuse();
    std::map<std::string, Value> members = read_members(1);
    skip_space();
    if (!rest_.empty()) refuse();
    return members;
  }

 private:
  std::map<std::string, Value> read_members(unsigned depth) {
    std::map<std::string, Value> members;
    if (!take('{')) refuse();
    bool goes_on = !take('}');
    while (goes_on) {
      std::string name = read_text();
      if (!take(':')) refuse();
      members[std::move(name)] = read_value(depth);
      goes_on = take(',');
      if (!goes_on && !take('}')) refuse();
    }
    return members;
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  char next() {
    if (rest_.empty()) refuse();
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }

  bool take(char wanted) {
    skip_space();
    if (!rest_.starts_with(wanted)) return false;
    next();
    return true;
  }

  // `depth` is that of the object or array which has the value.
  Value read_value(unsigned depth) {
    skip_space();
    if (rest_.starts_with('"')) return {.kind = Kind::text, .text = read_text()};
    if (rest_.starts_with('[') && depth <= most_depth_) return read_array(depth + 1);
    if (rest_.starts_with('{') && depth < most_depth_) return read_object(depth + 1);
    const std::string_view word = rest_.substr(0, std::min(rest_.find_first_of(" \t\n\r,]}"), rest_.size()));
    rest_.remove_prefix(word.size());
    if (word == "true" || word == "false") return {.kind = Kind::truth, .number = word == "true" ? 1U : 0U};
    return word == "null" ? Value{} : number_of(word);
  }

  // A number that is not whole, or too large, is one of no member that we know.
  static Value number_of(std::string_view word) {
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    const bool is_padded = word.size() > 1 && word[0] == '0' && word[1] >= '0' && word[1] <= '9';
    if (!is_number || is_padded) refuse();
    Value value{.kind = Kind::whole_number};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value.number);
    if (error != std::errc() || end != word.data() + word.size()) value.kind = Kind::other;
    return value;
  }

  Value read_object(unsigned depth) {
    JsonObject object;
    object.members_ = read_members(depth);
    return {.kind = Kind::object, .object = std::make_shared<const JsonObject>(std::move(object))};
  }

  Value read_array(unsigned depth) {
    Value array{.kind = Kind::array};
    next();
    bool goes_on = !take(']');
    while (goes_on) {
      array.elements.push_back(read_value(depth));
      goes_on = take(',');
      if (!goes_on && !take(']')) refuse();
    }
    return array;
  }

  std::string read_text() {
    if (!take('"')) refuse();
    std::string text;
    for (char character = next(); character != '"'; character = next()) {
      if (static_cast<unsigned char>(character) < 0x20) refuse();
      text += character == '\\' ? read_escape() : std::string(1, character);
    }
    return text;
  }

  std::string read_escape() {
    constexpr std::string_view letters = "\"\\/bfnrt", plain = "\"\\/\b\f\n\r\t";
    const char letter = next();
    const std::size_t found = letters.find(letter);
    if (found != std::string_view::npos) return {plain[found]};
    if (letter != 'u') refuse();
    const std::uint32_t code = read_unit();
    if (code < 0xd800 || code > 0xdfff) return utf8_of(code);
    const bool is_pair = code < 0xdc00 && next() == '\\' && next() == 'u';
    const std::uint32_t second = is_pair ? read_unit() : 0;
    if (second < 0xdc00 || second > 0xdfff) refuse();
    return utf8_of(0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00));
  }

  std::uint32_t read_unit() {
    constexpr std::size_t num_digits = 4;
    const std::string_view digits = rest_.substr(0, num_digits);
    if (digits.size() != num_digits || !are_hex_digits(digits)) refuse();
    rest_.remove_prefix(num_digits);
    std::uint32_t unit = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    return unit;
  }

  std::string_view rest_;
  unsigned most_depth_;
};

JsonObject::JsonObject(std::string_view text) : members_(Parser(text, 1).read()) {}

JsonObject JsonObject::nested(std::string_view text, unsigned most_depth) {
  JsonObject object;
  object.members_ = Parser(text, most_depth).read();
  return object;
}

const JsonObject::Value* JsonObject::find(const std::string& name, Kind kind) const {
  const auto found = members_.find(name);
  if (found == members_.end()) return nullptr;
  if (found->second.kind != kind) refuse();
  return &found->second;
}

std::optional<std::string> JsonObject::text(const std::string& name) const {
  const Value* const value = find(name, Kind::text);
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

std::optional<bool> JsonObject::truth(const std::string& name) const {
  const Value* const value = find(name, Kind::truth);
  return value == nullptr ? std::nullopt : std::optional(value->number != 0);
}

std::optional<std::uint64_t> JsonObject::number(const std::string& name, std::uint64_t most) const {
  const Value* const value = find(name, Kind::whole_number);
  if (value == nullptr) return std::nullopt;
  if (value->number > most) refuse();
  return value->number;
}

std::optional<std::vector<std::string>> JsonObject::texts(const std::string& name) const {
  const Value* const value = find(name, Kind::array);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Value& element : value->elements) {
    if (element.kind != Kind::text) refuse();
    texts.push_back(element.text);
  }
  return texts;
}

const JsonObject* JsonObject::object(const std::string& name) const {
  const Value* const value = find(name, Kind::object);
  return value == nullptr ? nullptr : value->object.get();
}

std::vector<std::string> JsonObject::names() const {
  std::vector<std::string> names;
  for (const auto& member : members_) names.push_back(member.first);
  return names;
}

}  // namespace phalanx
