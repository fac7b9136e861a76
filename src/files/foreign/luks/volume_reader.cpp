#include <algorithm>
#include <optional>
#include <phalanx/files/volume.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/foreign/luks/opened_luks.hpp"
#include "files/pipeline/parallel_parts.hpp"
#include "files/system/input.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr const char* moved_reader = "this volume's reader was moved from: use the object that it was moved to";

std::optional<Input> open_header(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional<Input>(std::in_place, file_named(path));
}

KeySlotChoice choice_of(const VolumeOptions& options) {
  if (options.key_slot == VolumeOptions::any_key_slot) return {};
  if (options.key_slot < 0) fail_usage("a key slot is a number from 0 on, and not " + std::to_string(options.key_slot));
  return {.number = static_cast<unsigned>(options.key_slot)};
}

VolumeFacts facts_of(const OpenedLuks& opened) {
  const LuksHeader& header = opened.header();
  return {.format = "LUKS" + std::to_string(header.version),
          .uuid = header.uuid,
          .cipher = header.segments.front().encryption,
          .key_bytes = opened.slot().volume_key_bytes,
          .sector_bytes = opened.volume().unit_bytes(),
          .key_slot = opened.slot().number,
          .note = header.note};
}

}  // namespace

struct VolumeReader::State {
  State(const std::string& path, Bytes passphrase, const VolumeOptions& volume, const EngineOptions& options)
      : data(file_named(path)),
        header(open_header(volume.header_path)),
        opened(data, volume.start, header ? &*header : nullptr),
        num_threads(options.num_threads) {
    check_options(options);
    opened.open(passphrase, choice_of(volume), options);
    facts = facts_of(opened);
  }

  Input data;
  std::optional<Input> header;
  OpenedLuks opened;
  int num_threads;
  VolumeFacts facts;
};

VolumeReader::VolumeReader(const std::string& path, Bytes passphrase, const VolumeOptions& volume,
                           const EngineOptions& options)
    : state_(std::make_unique<const State>(path, passphrase, volume, options)) {}
VolumeReader::~VolumeReader() = default;
VolumeReader::VolumeReader(VolumeReader&&) noexcept = default;
VolumeReader& VolumeReader::operator=(VolumeReader&&) noexcept = default;

const VolumeFacts& VolumeReader::facts() const { return state_of(state_, moved_reader).facts; }

std::uint64_t VolumeReader::num_bytes() const { return state_of(state_, moved_reader).opened.volume().num_bytes(); }

const std::string& VolumeReader::engine() const { return state_of(state_, moved_reader).opened.volume().engine(); }

std::size_t VolumeReader::read(std::uint64_t offset, MutableBytes out) const {
  const State& state = state_of(state_, moved_reader);
  const LuksVolume& volume = state.opened.volume();
  const std::uint64_t left = volume.num_bytes() - std::min(offset, volume.num_bytes());
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, out.size())));
  for_each_part(state.num_threads, out.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    volume.read(offset + begin, out.subspan(begin, size));
  });
  return out.size();
}

}  // namespace phalanx
