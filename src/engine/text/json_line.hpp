// An object of JSON (RFC 8259) takes one line here. Its values are strings, whole numbers, truth values, and arrays of
// strings. Objects that others wrote may have objects in them too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx {

/// Writes an object, member by member, without spaces.
class JsonLine {
 public:
  /// In a string, U+FFFD stands for each longest beginning of a character that is none: what is written is always UTF-8.
  void put(std::string_view name, std::string_view text);
  void put(std::string_view name, const char* text) { put(name, std::string_view(text)); }
  void put(std::string_view name, bool is_true);
  void put(std::string_view name, std::uint64_t number);
  void put(std::string_view name, std::span<const std::string> texts);

  /// All of it, without a line's end.
  [[nodiscard]] std::string finish() const { return text_.empty() ? "{}" : text_ + '}'; }

 private:
  void begin(std::string_view name);

  std::string text_;
};

/// An object that was read.
class JsonObject {
 public:
  /// Reads an object of strings, numbers, truth values, null, and arrays of these. If two members have one name, the
  /// later counts. Throws Error (usage) if the text is anything else.
  explicit JsonObject(std::string_view text);
  /// Reads an object that may have objects too, and arrays of anything. They lie most_depth deep in each other at most: this
  /// object counts, and an array of plain values does not. Throws Error (usage) if the text is anything else.
  [[nodiscard]] static JsonObject nested(std::string_view text, unsigned most_depth);

  /// Return the values of members, or nothing where there is no member of that name. Throw Error (usage) if it is of
  /// another kind, or a number that is not whole, below zero, or above `most`.
  [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
  [[nodiscard]] std::optional<bool> truth(const std::string& name) const;
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& name, std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& name) const;
  /// Returns nullptr where there is no member of that name. The object is this one's.
  [[nodiscard]] const JsonObject* object(const std::string& name) const;

  /// Returns the names of all members, in the order of their bytes.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  enum class Kind : unsigned char { text, truth, whole_number, array, object, other };
  struct Value {
    Kind kind = Kind::other;
    std::string text{};
    std::uint64_t number = 0;  // or 1 for true
    std::vector<Value> elements{};
    std::shared_ptr<const JsonObject> object{};
  };
  class Parser;

  JsonObject() = default;

  [[nodiscard]] const Value* find(const std::string& name, Kind kind) const;

  std::map<std::string, Value> members_;
};

/// Returns whether all of the text is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace phalanx
