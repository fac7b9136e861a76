#include "files/foreign/luks/volume_bytes.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {

void VolumeBytes::read(std::uint64_t offset, MutableBytes out) const {
  const bool is_there = offset <= num_bytes() && out.size() <= num_bytes() - offset;
  if (!is_there) {
    throw Error(ErrorCode::truncated, name() + " is cut short: it has " + text_of(num_bytes()) + ", and " +
                                          text_of(out.size()) + " were to follow byte " + std::to_string(offset));
  }
  if (read_part(offset, out) != out.size()) {
    throw Error(ErrorCode::runtime, name() + " became shorter while it was read");
  }
}

std::size_t VolumeFile::read_part(std::uint64_t offset, MutableBytes out) const {
  return read_at(descriptor_, out, start_ + offset, name_);
}

std::size_t VolumeMemory::read_part(std::uint64_t offset, MutableBytes out) const {
  if (offset > memory_.size() || out.size() > memory_.size() - offset)
    throw Error(ErrorCode::truncated, "only the first " + text_of(memory_.size()) + " of " + name_ + " are at hand");
  std::ranges::copy(memory_.subspan(static_cast<std::size_t>(offset), out.size()), out.begin());
  return out.size();
}

}  // namespace phalanx
