// This opens a volume that lies in one file, or in two with its header apart.
#pragma once

#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/foreign/luks/key_slots.hpp"
#include "files/foreign/luks/luks_volume.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Returns the bytes of a file from `start` bytes behind its position on. Throws Error: usage where it cannot seek,
/// truncated where it is shorter.
[[nodiscard]] VolumeFile volume_file_of(const Input& input, std::uint64_t start);

/// Holds an open volume and its header.
class OpenedLuks {
 public:
  /// `data` begins with the header at `start`, unless `detached_header` has it. Both stay the caller's. Throws as
  /// volume_file_of, read_luks_header, require_readable and volume_bytes_of do.
  OpenedLuks(const Input& data, std::uint64_t start, const Input* detached_header);

  [[nodiscard]] const LuksHeader& header() const { return header_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

  /// Opens a slot, and the volume with its key. Throws as open_key_slot and LuksVolume do.
  void open(Bytes passphrase, const KeySlotChoice& choice, const EngineOptions& options);

  /// Return what there is once the volume is open.
  [[nodiscard]] const LuksVolume& volume() const { return *volume_; }
  [[nodiscard]] const LuksSlot& slot() const { return *slot_; }

 private:
  VolumeFile data_;
  std::optional<VolumeFile> detached_;
  LuksHeader header_;
  std::uint64_t num_bytes_;
  const LuksSlot* slot_ = nullptr;
  std::optional<LuksVolume> volume_;
};

}  // namespace phalanx
