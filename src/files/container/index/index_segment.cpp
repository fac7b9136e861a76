#include "files/container/index/index_segment.hpp"

#include <algorithm>

namespace phalanx {
namespace {

constexpr std::array<std::uint8_t, 8> magic{'P', 'H', 'A', 'L', 'I', 'D', 'X', 0};
constexpr std::size_t authenticator_offset = 9, whole_offset = 10, reserved_offset = 11, generation_offset = 12;
constexpr std::size_t containers_offset = 20, changes_offset = 28, key_offset = 36, before_offset = 52, check_offset = 84;

Sha256Digest digest_of(Bytes bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish_bytes();
}

std::uint64_t number_at(const IndexHeadBytes& bytes, std::size_t offset) {
  return load_index_number(Bytes(bytes).subspan(offset, 8));
}

template <class Array>
Array array_at(const IndexHeadBytes& bytes, std::size_t offset) {
  Array array{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), array.size(), array.begin());
  return array;
}

}  // namespace

void throw_damaged_index(const std::string& why) { throw Error(ErrorCode::authentication, "the index is damaged: " + why); }

void append_index_number(std::uint64_t number, std::size_t num_bytes, std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = num_bytes; i-- > 0;) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

std::uint64_t load_index_number(Bytes bytes) {
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

IndexHeadBytes encode_index_head(const IndexHead& head) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  for (const std::uint8_t byte : {head.version, head.authenticator, std::uint8_t{head.is_whole}, std::uint8_t{0}})
    bytes.push_back(byte);
  for (const std::uint64_t number : {head.generation, head.num_containers, head.change_bytes})
    append_index_number(number, 8, bytes);
  bytes.insert(bytes.end(), head.key_id.begin(), head.key_id.end());
  bytes.insert(bytes.end(), head.before.begin(), head.before.end());
  const Sha256Digest check = digest_of(bytes);
  bytes.insert(bytes.end(), check.begin(), check.begin() + 8);
  IndexHeadBytes all;
  std::ranges::copy(bytes, all.begin());
  return all;
}

bool begins_as_index_head(Bytes beginning) {
  const std::size_t known = std::min(beginning.size(), magic.size());
  return std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(known), beginning.begin());
}

IndexHead parse_index_head(const IndexHeadBytes& bytes) {
  if (!begins_as_index_head(bytes)) throw Error(ErrorCode::format, "this is no index of a tree: name another file");
  if (bytes[magic.size()] < 1 || bytes[magic.size()] > last_index_version)
    throw Error(ErrorCode::format, "this index is of a later version: use the Phalanx that wrote it");
  const Sha256Digest check = digest_of(Bytes(bytes).first(check_offset));
  if (!std::equal(bytes.begin() + check_offset, bytes.end(), check.begin()))
    throw_damaged_index("a head has other bytes now");
  IndexHead head;
  head.version = bytes[magic.size()];
  head.authenticator = bytes[authenticator_offset];
  head.is_whole = bytes[whole_offset] == 1;
  if (head.authenticator < 1 || head.authenticator > 2 || bytes[whole_offset] > 1 || bytes[reserved_offset] != 0)
    throw_damaged_index("a head says what no head says");
  head.generation = number_at(bytes, generation_offset);
  head.num_containers = number_at(bytes, containers_offset);
  head.change_bytes = number_at(bytes, changes_offset);
  head.key_id = array_at<IndexKeyId>(bytes, key_offset);
  head.before = array_at<Sha256Digest>(bytes, before_offset);
  return head;
}

}  // namespace phalanx
