// This reads and writes Thrift's compact protocol, as far as Parquet's metadata must be changed. A struct is its
// fields, each with its bytes as they were read. Only changed fields are written anew, so fields that nobody here knows
// stay as they are.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

namespace phalanx {

using Buffer = std::vector<std::uint8_t>;

enum class CompactType : std::uint8_t {
  stop = 0,
  yes = 1,  // of a bool field the type is the value
  no = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  real = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
  uuid = 13,
};

/// A struct points into the bytes that it was read from, which must live as long as it.
class CompactStruct {
 public:
  /// No deeper than this may structs and lists lie in each other; Parquet's are far below.
  static constexpr int most_levels = 32;
  /// No longer than this is what a struct is read from, or has set: a footer says its length in 32 bits.
  static constexpr std::uint64_t most_bytes = UINT32_MAX;

  CompactStruct() = default;

  /// Reads the struct at the beginning of `bytes`; num_bytes() says how long it is. Throws Error: truncated where the bytes
  /// end within it; format for what is no struct, or whose fields do not ascend.
  [[nodiscard]] static CompactStruct read(Bytes bytes);
  /// Reads a struct that takes all of `bytes`, and throws as `read` does.
  [[nodiscard]] static CompactStruct read_all(Bytes bytes);

  [[nodiscard]] std::size_t num_bytes() const { return read_.size(); }

  [[nodiscard]] bool has(int id) const { return find(id) != nullptr; }

  /// The values of fields; nothing where there is no such field. Throw Error (format) if it is of another type.
  [[nodiscard]] std::optional<std::int64_t> integer(int id) const;  ///< i16, i32 or i64
  [[nodiscard]] std::optional<bool> truth(int id) const;
  [[nodiscard]] std::optional<Bytes> binary(int id) const;
  [[nodiscard]] std::optional<CompactStruct> structure(int id) const;
  /// The bytes of each struct of a list. `what` are more than `most`: "row groups"; then it is refused before any is kept.
  [[nodiscard]] std::optional<std::vector<Bytes>> structures(int id, std::uint64_t most = UINT64_MAX,
                                                             const char* what = "elements") const;
  [[nodiscard]] std::optional<std::vector<std::string>> texts(int id) const;

  /// Where the field is not there, it is added at its place.
  void set_integer(int id, CompactType type, std::int64_t value);
  void set_truth(int id, bool value);
  void set_binary(int id, Bytes value);
  void set_texts(int id, const std::vector<std::string>& values);
  void set_structure(int id, const CompactStruct& value);
  void set_structures(int id, const std::vector<Buffer>& values);
  void remove(int id);

  [[nodiscard]] Buffer bytes() const;

 private:
  // A footer has one for each byte at worst, so it is small.
  struct Field {
    std::uint32_t begin = 0;  // of its value, in what was read or set
    std::uint32_t num_bytes = 0;
    std::int16_t id = 0;
    CompactType type = CompactType::stop;
    bool is_set = false;
  };

  [[nodiscard]] const Field* find(int id) const;
  [[nodiscard]] const Field* find(int id, CompactType type) const;
  [[nodiscard]] Bytes value_of(const Field& field) const;
  void set(int id, CompactType type, Bytes value);

  std::vector<Field> fields_;  // ids ascend
  Bytes read_{};               // its own bytes
  Buffer set_{};               // the values that were set, one behind the other
};

/// Throws Error (format): the file is no Parquet file, or is damaged where no tag is.
[[noreturn]] void fail_parquet(const std::string& what);

}  // namespace phalanx
