#include "files/recognition/file_glimpse.hpp"

#include <algorithm>

namespace phalanx {
namespace {

std::vector<std::uint8_t> read_part(const Input& input, std::uint64_t position, std::uint64_t num_bytes) {
  std::vector<std::uint8_t> part(static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, recognised_from_bytes)));
  part.resize(read_at(input.descriptor(), part, position, input.name()));
  return part;
}

}  // namespace

Bytes FileGlimpse::from(std::uint64_t offset) const {
  if (offset < beginning.size()) return beginning.subspan(static_cast<std::size_t>(offset));
  const std::uint64_t end_offset = num_bytes - std::min<std::uint64_t>(num_bytes, end.size());
  if (offset < end_offset || offset >= num_bytes) return {};
  return end.subspan(static_cast<std::size_t>(offset - end_offset));
}

std::optional<FileEnds> read_ends(const Input& input, std::uint64_t start) {
  const std::optional<std::uint64_t> remaining = input.remaining_bytes();
  if (!remaining) return std::nullopt;
  const std::uint64_t file_bytes = input.position() + *remaining;
  FileEnds ends;
  ends.num_bytes = file_bytes - std::min(file_bytes, start);
  ends.beginning = read_part(input, start, recognised_from_bytes);
  if (ends.beginning.size() < recognised_from_bytes || ends.num_bytes < recognised_from_bytes) {
    ends.num_bytes = ends.beginning.size();  // whatever its size was
    return ends;
  }
  const std::uint64_t end_bytes = std::min<std::uint64_t>(ends.num_bytes - ends.beginning.size(), recognised_from_bytes);
  ends.end = read_part(input, start + ends.num_bytes - end_bytes, end_bytes);
  if (ends.end.size() < end_bytes) ends.end.clear();
  return ends;
}

}  // namespace phalanx
