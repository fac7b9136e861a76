// This makes a plain file in a GPU's memory, part by part, from an encrypted one in the host's memory. Sealed bytes are
// opened on the GPU, and all others are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/bytes.hpp>
#include <vector>

#include "engine/engines/device_memory.hpp"

namespace phalanx {

/// A part of the file with messages of one key, and what is put between them. All offsets of the file and of the image are
/// from their beginnings.
struct DeviceImagePart {
  std::uint64_t offset = 0;  ///< in the file
  std::size_t num_bytes = 0;
  bool has_tags = true;  ///< each message's, of 16 bytes, behind it; else it is opened by counters from 1 on, unverified

  /// Each message has one number in each of these. The offsets in the image only grow.
  std::vector<std::uint64_t> in_offsets{}, out_offsets{}, lengths{};
  std::vector<std::uint8_t> nonces{};  ///< 12 bytes each
  std::vector<std::uint8_t> associated_data{};
  std::vector<std::uint64_t> associated_starts{0};  ///< where each one's begins, and the last one's ends

  std::vector<std::uint8_t> plain{};                            ///< what is put into the image as it is
  std::vector<std::uint64_t> plain_starts{0}, plain_offsets{};  ///< the same of its pieces; where each goes

  /// Throws for a message that is not authentic. `message` is its index in the part.
  std::function<void(std::size_t message)> fail{};
};

/// One thread at a time may use it. Throws Error: usage where the image is longer than its place, and runtime if the
/// GPU fails. Throws the exception of a part's `fail`, too.
class DeviceImage {
 public:
  /// An image at `place`, made behind what is on `stream`.
  DeviceImage(const Engine& engine, const DeviceUploadPlace& place, void* stream);

  /// Parts that are no longer, with all that is said of them, are quickest.
  [[nodiscard]] std::size_t part_bytes() const { return uploads_->part_bytes(); }
  /// Enqueues the work of a part. `key` lives until finish() has returned or thrown. An error in an earlier part may be
  /// thrown here.
  void open(const KeyedDeviceAead& key, DeviceImagePart part);
  void write(std::uint64_t offset, Bytes plain);
  void copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to);
  /// Waits. If several messages of all calls are not authentic, the `fail` of the first one's part has thrown.
  void finish() { uploads_->finish(); }
  /// Waits, and overwrites all of `out` with zeros.
  void clear() noexcept { uploads_->clear(); }

 private:
  void check_place(std::uint64_t offset, std::uint64_t num_bytes) const;
  void check(const DeviceImagePart& part) const;

  DeviceUploadPlace place_;
  std::unique_ptr<DeviceUploads> uploads_;
};

}  // namespace phalanx
