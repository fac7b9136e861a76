#include "files/container/format/fixed_part.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>
#include <string>

namespace phalanx {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {'P', 'H', 'A', 'L', 'A', 'N', 'X', 0};
constexpr std::size_t version_offset = 8;
constexpr std::size_t suite_offset = 9;

}  // namespace

bool is_container(Bytes beginning) {
  return beginning.size() >= magic.size() && std::equal(magic.begin(), magic.end(), beginning.begin());
}

FixedPart parse_fixed_part(Bytes beginning) {
  if (beginning.empty()) throw Error(ErrorCode::truncated, "the input is empty; a container begins with 'PHALANX'");
  const std::size_t num_magic = std::min(beginning.size(), magic.size());
  if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(num_magic), beginning.begin())) {
    throw Error(ErrorCode::format, "the input is no Phalanx container: it does not begin with 'PHALANX'");
  }
  FixedPart fixed_part;
  if (beginning.size() > version_offset) fixed_part.version = beginning[version_offset];
  if (fixed_part.version != unbound_version && fixed_part.version != bound_version) {
    throw Error(ErrorCode::format, "the container is of version " + std::to_string(fixed_part.version) +
                                       ", and only versions 1 and 2 are known here: use a newer Phalanx");
  }
  if (beginning.size() > suite_offset) fixed_part.suite = &suite_of_id(beginning[suite_offset]);
  return fixed_part;
}

std::vector<std::uint8_t> labelled_fixed_part(const FixedPart& fixed_part, std::string_view label) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  bytes.push_back(fixed_part.version);
  bytes.push_back(fixed_part.suite->id);
  bytes.insert(bytes.end(), label.begin(), label.end());
  return bytes;
}

}  // namespace phalanx
