#include "parquet/compact_protocol.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <utility>

namespace phalanx {

void fail_parquet(const std::string& what) {
  throw Error(ErrorCode::format, "this is no Parquet file, or it is damaged: " + what);
}

namespace {

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1))); }

void put_varint(Buffer& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

void put_bytes(Buffer& out, Bytes bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void put_list_head(Buffer& out, std::size_t num_elements, CompactType type) {
  const bool is_short = num_elements < 15;
  out.push_back(static_cast<std::uint8_t>((is_short ? num_elements : 15) << 4 | static_cast<unsigned>(type)));
  if (!is_short) put_varint(out, num_elements);
}

struct ListHead {
  std::size_t num_elements = 0;
  CompactType type = CompactType::stop;
};

// Goes over what is written, and never behind its end.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] Bytes since(std::size_t begin) const { return bytes_.subspan(begin, position_ - begin); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  Bytes take(std::uint64_t num_bytes) {
    if (num_bytes > left()) throw Error(ErrorCode::truncated, "the Parquet file ends within a structure of its metadata");
    position_ += static_cast<std::size_t>(num_bytes);
    return bytes_.subspan(position_ - static_cast<std::size_t>(num_bytes), static_cast<std::size_t>(num_bytes));
  }
  std::uint8_t take_byte() { return take(1)[0]; }

  std::uint64_t take_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take_byte();
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail_parquet("a number has more than 64 bits");
  }
  std::int64_t take_integer() { return unzigzag(take_varint()); }

  Bytes take_binary() {
    const std::uint64_t num_bytes = take_varint();
    return take(num_bytes);
  }

  // Each element has at least a byte, so that no list is longer than what is left.
  ListHead take_list_head() {
    const std::uint8_t head = take_byte();
    const std::uint64_t num_elements = head >> 4 == 15 ? take_varint() : head >> 4;
    if (num_elements > left()) throw Error(ErrorCode::truncated, "the Parquet file ends within a list of its metadata");
    return {static_cast<std::size_t>(num_elements), type_of(head & 15)};
  }

  void skip(CompactType type, int levels_left) {
    if (levels_left < 0) fail_parquet("its structures lie too deep in each other");
    switch (type) {
      case CompactType::yes:
      case CompactType::no:
        break;  // of a field: the type is the value
      case CompactType::i8:
        take(1);
        break;
      case CompactType::i16:
      case CompactType::i32:
      case CompactType::i64:
        take_varint();
        break;
      case CompactType::real:
        take(8);
        break;
      case CompactType::binary:
        take_binary();
        break;
      case CompactType::list:
      case CompactType::set:
        skip_list(levels_left - 1);
        break;
      case CompactType::map:
        skip_map(levels_left - 1);
        break;
      case CompactType::structure:
        skip_structure(levels_left - 1);
        break;
      case CompactType::uuid:
        take(16);
        break;
      case CompactType::stop:
        fail_parquet("an element has no type");
    }
  }

  // The field's head, and false at the end of the struct. The next id is counted from the last.
  bool take_field_head(int& id, CompactType& type) {
    const std::uint8_t head = take_byte();
    if (head == 0) return false;
    const std::int64_t next = head >> 4 != 0 ? id + (head >> 4) : take_integer();
    if (next <= id || next > INT16_MAX) fail_parquet("the fields of a structure do not ascend");
    id = static_cast<int>(next);
    type = type_of(head & 15);
    return true;
  }

 private:
  static CompactType type_of(int number) {
    if (number > static_cast<int>(CompactType::uuid)) fail_parquet("a value has an unknown type");
    return static_cast<CompactType>(number);
  }

  // In a list and in a map a bool has a byte.
  void skip_element(CompactType type, int levels_left) {
    if (type == CompactType::yes || type == CompactType::no) {
      take(1);
    } else {
      skip(type, levels_left);
    }
  }
  void skip_list(int levels_left) {
    const ListHead head = take_list_head();
    for (std::size_t i = 0; i < head.num_elements; ++i) skip_element(head.type, levels_left);
  }
  void skip_map(int levels_left) {
    const std::uint64_t num_pairs = take_varint();
    if (num_pairs == 0) return;
    const std::uint8_t types = take_byte();
    for (std::uint64_t i = 0; i < num_pairs; ++i) {
      skip_element(type_of(types >> 4), levels_left);
      skip_element(type_of(types & 15), levels_left);
    }
  }
  void skip_structure(int levels_left) {
    int id = 0;
    CompactType type = CompactType::stop;
    while (take_field_head(id, type)) skip(type, levels_left);
  }

  Bytes bytes_;
  std::size_t position_ = 0;
};

bool is_integer(CompactType type) {
  return type == CompactType::i16 || type == CompactType::i32 || type == CompactType::i64;
}

void require_type(bool is_right, int id) {
  if (!is_right) fail_parquet("field " + std::to_string(id) + " of a structure has another type");
}

}  // namespace

CompactStruct CompactStruct::read(Bytes bytes) {
  CompactStruct all;
  Cursor cursor(bytes.first(std::min<std::uint64_t>(bytes.size(), most_bytes)));
  int id = 0;
  CompactType type = CompactType::stop;
  while (cursor.take_field_head(id, type)) {
    const std::size_t begin = cursor.position();
    cursor.skip(type, most_levels);
    all.fields_.push_back({.begin = static_cast<std::uint32_t>(begin),
                           .num_bytes = static_cast<std::uint32_t>(cursor.position() - begin),
                           .id = static_cast<std::int16_t>(id),
                           .type = type});
  }
  all.fields_.shrink_to_fit();
  all.read_ = cursor.since(0);
  return all;
}

CompactStruct CompactStruct::read_all(Bytes bytes) {
  CompactStruct all = read(bytes);
  if (all.num_bytes() != bytes.size()) fail_parquet("bytes follow a structure of its metadata");
  return all;
}

Bytes CompactStruct::value_of(const Field& field) const {
  return (field.is_set ? Bytes(set_) : read_).subspan(field.begin, field.num_bytes);
}

const CompactStruct::Field* CompactStruct::find(int id) const {
  const auto found = std::ranges::lower_bound(fields_, id, {}, &Field::id);
  return found != fields_.end() && found->id == id ? &*found : nullptr;
}

const CompactStruct::Field* CompactStruct::find(int id, CompactType type) const {
  const Field* field = find(id);
  if (field != nullptr) require_type(field->type == type, id);
  return field;
}

std::optional<std::int64_t> CompactStruct::integer(int id) const {
  const Field* field = find(id);
  if (field == nullptr) return std::nullopt;
  require_type(is_integer(field->type), id);
  return Cursor(value_of(*field)).take_integer();
}

std::optional<bool> CompactStruct::truth(int id) const {
  const Field* field = find(id);
  if (field == nullptr) return std::nullopt;
  require_type(field->type == CompactType::yes || field->type == CompactType::no, id);
  return field->type == CompactType::yes;
}

std::optional<Bytes> CompactStruct::binary(int id) const {
  const Field* field = find(id, CompactType::binary);
  if (field == nullptr) return std::nullopt;
  return Cursor(value_of(*field)).take_binary();
}

std::optional<CompactStruct> CompactStruct::structure(int id) const {
  const Field* field = find(id, CompactType::structure);
  if (field == nullptr) return std::nullopt;
  return read_all(value_of(*field));
}

std::optional<std::vector<Bytes>> CompactStruct::structures(int id, std::uint64_t most, const char* what) const {
  const Field* field = find(id, CompactType::list);
  if (field == nullptr) return std::nullopt;
  Cursor cursor(value_of(*field));
  const ListHead head = cursor.take_list_head();
  require_type(head.type == CompactType::structure || head.num_elements == 0, id);
  if (head.num_elements > most) fail_parquet("it has more than " + std::to_string(most) + ' ' + what);
  std::vector<Bytes> elements;
  elements.reserve(head.num_elements);
  for (std::size_t i = 0; i < head.num_elements; ++i) {
    const std::size_t begin = cursor.position();
    cursor.skip(CompactType::structure, most_levels);
    elements.push_back(cursor.since(begin));
  }
  return elements;
}

std::optional<std::vector<std::string>> CompactStruct::texts(int id) const {
  const Field* field = find(id, CompactType::list);
  if (field == nullptr) return std::nullopt;
  Cursor cursor(value_of(*field));
  const ListHead head = cursor.take_list_head();
  require_type(head.type == CompactType::binary || head.num_elements == 0, id);
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < head.num_elements; ++i) {
    const Bytes text = cursor.take_binary();
    elements.emplace_back(text.begin(), text.end());
  }
  return elements;
}

void CompactStruct::set(int id, CompactType type, Bytes value) {
  if (value.size() > most_bytes - set_.size())
    throw Error(ErrorCode::usage, "the Parquet file's metadata would be too long");
  auto place = std::ranges::lower_bound(fields_, id, {}, &Field::id);
  if (place == fields_.end() || place->id != id) place = fields_.emplace(place);
  *place = {.begin = static_cast<std::uint32_t>(set_.size()),
            .num_bytes = static_cast<std::uint32_t>(value.size()),
            .id = static_cast<std::int16_t>(id),
            .type = type,
            .is_set = true};
  put_bytes(set_, value);
}

void CompactStruct::set_integer(int id, CompactType type, std::int64_t value) {
  Buffer bytes;
  put_varint(bytes, zigzag(value));
  set(id, type, bytes);
}

void CompactStruct::set_truth(int id, bool value) { set(id, value ? CompactType::yes : CompactType::no, {}); }

void CompactStruct::set_binary(int id, Bytes value) {
  Buffer bytes;
  put_varint(bytes, value.size());
  put_bytes(bytes, value);
  set(id, CompactType::binary, bytes);
}

void CompactStruct::set_texts(int id, const std::vector<std::string>& values) {
  Buffer bytes;
  put_list_head(bytes, values.size(), CompactType::binary);
  for (const std::string& value : values) {
    put_varint(bytes, value.size());
    put_bytes(bytes, bytes_of(value));
  }
  set(id, CompactType::list, bytes);
}

void CompactStruct::set_structure(int id, const CompactStruct& value) { set(id, CompactType::structure, value.bytes()); }

void CompactStruct::set_structures(int id, const std::vector<Buffer>& values) {
  Buffer bytes;
  put_list_head(bytes, values.size(), CompactType::structure);
  for (const Buffer& value : values) put_bytes(bytes, value);
  set(id, CompactType::list, bytes);
}

void CompactStruct::remove(int id) {
  std::erase_if(fields_, [id](const Field& field) { return field.id == id; });
}

Buffer CompactStruct::bytes() const {
  Buffer out;
  int last = 0;
  for (const Field& field : fields_) {
    const int step = field.id - last;
    const bool is_short = step <= 15;
    out.push_back(static_cast<std::uint8_t>((is_short ? step : 0) << 4 | static_cast<int>(field.type)));
    if (!is_short) put_varint(out, zigzag(field.id));
    put_bytes(out, value_of(field));
    last = field.id;
  }
  out.push_back(0);
  return out;
}

}  // namespace phalanx
