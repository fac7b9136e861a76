#include "files/foreign/luks/opened_luks.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/library/argument_checks.hpp"

namespace phalanx {
namespace {

std::optional<VolumeFile> detached_header_of(const Input* detached_header) {
  if (detached_header == nullptr) return std::nullopt;
  return std::optional<VolumeFile>(std::in_place, detached_header->descriptor(), detached_header->name(), 0,
                                   volume_file_of(*detached_header, 0).num_bytes());
}

const VolumeBytes& bytes_of_header(const VolumeFile& data, const std::optional<VolumeFile>& detached) {
  return detached ? *detached : data;
}

}  // namespace

VolumeFile volume_file_of(const Input& input, std::uint64_t start) {
  const std::optional<std::uint64_t> left = input.remaining_bytes();
  if (!left) {
    throw Error(ErrorCode::usage,
                input.name() + " cannot seek, and a volume is read from several places: name a file or a disk",
                {.name = input.name()});
  }
  const std::uint64_t position = input.position();
  if (start > *left) {
    throw Error(ErrorCode::truncated,
                input.name() + " has " + text_of(*left) + ", and the volume was to begin behind " + std::to_string(start),
                {.name = input.name()});
  }
  return {input.descriptor(), input.name(), position + start, *left - start};
}

OpenedLuks::OpenedLuks(const Input& data, std::uint64_t start, const Input* detached_header)
    : data_(data.descriptor(), data.name(), data.position() + start, volume_file_of(data, start).num_bytes()),
      detached_(detached_header_of(detached_header)),
      header_(read_luks_header(bytes_of_header(data_, detached_))),
      num_bytes_(0) {
  require_readable(header_, bytes_of_header(data_, detached_));
  num_bytes_ = volume_bytes_of(header_, data_);
}

void OpenedLuks::open(Bytes passphrase, const KeySlotChoice& choice, const EngineOptions& options) {
  const OpenedSlot opened = open_key_slot(header_, bytes_of_header(data_, detached_), passphrase, choice);
  slot_ = &*std::ranges::find(header_.slots, opened.number, &LuksSlot::number);
  volume_.emplace(header_, opened.volume_key, data_, options);
}

}  // namespace phalanx
