#include "files/container/index/index_change.hpp"

#include <algorithm>

#include "files/container/index/index_segment.hpp"

namespace phalanx {
namespace {

enum ChangeKind : std::uint8_t {
  without_digest = 1,
  with_digest = 2,
  has_left = 3,
  with_header = 4,  // this and the next are of version 2
  with_digest_and_header = 5
};

std::uint8_t last_kind_of(std::uint8_t version) { return version < 2 ? has_left : with_digest_and_header; }

std::uint8_t kind_of(const std::optional<BodyFacts>& body) {
  if (!body) return has_left;
  if (body->header) return body->sha256 ? with_digest_and_header : with_header;
  return body->sha256 ? with_digest : without_digest;
}

template <class Array>
void append(const Array& array, std::vector<std::uint8_t>& bytes) {
  bytes.insert(bytes.end(), array.begin(), array.end());
}

// Reads the parts of a change, and no more bytes than are left.
class PartReader {
 public:
  PartReader(const ReadChangeBytes& read, std::uint64_t& left_bytes) : read_(read), left_bytes_(left_bytes) {}

  void read(MutableBytes out) {
    if (out.size() > left_bytes_) throw_damaged_index("a change goes beyond the end of its segment");
    left_bytes_ -= out.size();
    read_(out);
  }
  std::uint64_t number(std::size_t num_bytes) {
    std::array<std::uint8_t, 8> bytes{};
    read(MutableBytes(bytes).last(num_bytes));
    return load_index_number(bytes);
  }

 private:
  const ReadChangeBytes& read_;
  std::uint64_t& left_bytes_;
};

BodyFacts read_body(PartReader& reader, std::uint64_t kind) {
  constexpr std::uint64_t most_plain_bytes = max_chunks * plain_chunk_bytes - 1;
  BodyFacts body;
  body.plain_bytes = reader.number(8);
  const std::uint64_t body_bytes = reader.number(8);
  if (body.plain_bytes > most_plain_bytes || body.body_bytes() != body_bytes)
    throw_damaged_index("the sizes of a container do not fit each other");
  reader.read(body.prefix);
  reader.read(body.last_tag);
  if (kind == with_digest || kind == with_digest_and_header) reader.read(body.sha256.emplace());
  if (kind == with_header || kind == with_digest_and_header) reader.read(body.header.emplace());
  return body;
}

}  // namespace

bool is_index_name(const std::string& name) {
  if (name.empty() || name.size() > most_index_name_bytes || name.find('\0') != std::string::npos) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

std::size_t change_bytes(const std::string& name, const std::optional<BodyFacts>& body) {
  if (!body) return 3 + name.size();
  const std::size_t of_digests = (body->sha256 ? 32 : 0) + (body->header ? 32 : 0);
  return 3 + name.size() + 16 + body->prefix.size() + body->last_tag.size() + of_digests;
}

void append_change(const std::string& name, const std::optional<BodyFacts>& body, std::vector<std::uint8_t>& bytes) {
  bytes.push_back(kind_of(body));
  append_index_number(name.size(), 2, bytes);
  append(name, bytes);
  if (!body) return;
  append_index_number(body->plain_bytes, 8, bytes);
  append_index_number(body->body_bytes(), 8, bytes);
  append(body->prefix, bytes);
  append(body->last_tag, bytes);
  if (body->sha256) append(*body->sha256, bytes);
  if (body->header) append(*body->header, bytes);
}

IndexChange read_change(std::uint8_t version, const ReadChangeBytes& read, std::uint64_t& left_bytes) {
  PartReader reader(read, left_bytes);
  const std::uint64_t kind = reader.number(1);
  if (kind < without_digest || kind > last_kind_of(version)) throw_damaged_index("it has a change of an unknown kind");
  const std::uint64_t name_bytes = reader.number(2);
  if (name_bytes > most_index_name_bytes) throw_damaged_index("a name is too long");
  IndexChange change;
  change.name.resize(static_cast<std::size_t>(name_bytes));
  reader.read({reinterpret_cast<std::uint8_t*>(change.name.data()), change.name.size()});
  if (!is_index_name(change.name)) throw_damaged_index("it has a name that leads nowhere in the tree");
  if (kind != has_left) change.body = read_body(reader, kind);
  return change;
}

}  // namespace phalanx
