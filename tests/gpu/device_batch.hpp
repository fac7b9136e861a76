// Batches of messages for DeviceAead, in the host's memory and in the GPU's.
#pragma once

#include <phalanx/device_aead.hpp>

#include "device_fixture.hpp"

namespace phalanx {
namespace {

constexpr std::size_t nonce_bytes = 12, tag_bytes = 16;
constexpr std::uint8_t poison = 0xa5;

// A batch in the host's memory.
struct HostBatch {
  std::vector<std::uint64_t> lengths, in_offsets, out_offsets, associated_offsets;
  ByteVector in, out, associated, nonces, tags;

  [[nodiscard]] std::size_t size() const { return lengths.size(); }
  [[nodiscard]] Bytes nonce(std::size_t i) const {
    return Bytes(nonces).subspan(i * (nonces.size() / size()), nonces.size() / size());
  }
  [[nodiscard]] Bytes associated_data(std::size_t i) const {
    return Bytes(associated).subspan(associated_offsets[i], associated_offsets[i + 1] - associated_offsets[i]);
  }
};

// The same in the GPU's memory.
struct DeviceArrays {
  DeviceBytes in, out, associated, nonces, tags, lengths, in_offsets, out_offsets, associated_offsets;
  DeviceBatch batch;

  explicit DeviceArrays(const HostBatch& host, bool in_place = false)
      : in(host.in),
        out(host.out),
        associated(host.associated),
        nonces(host.nonces),
        tags(host.tags),
        lengths(bytes_of(host.lengths)),
        in_offsets(bytes_of(host.in_offsets)),
        out_offsets(bytes_of(host.out_offsets)),
        associated_offsets(bytes_of(host.associated_offsets)) {
    batch.num_messages = host.size();
    batch.in = in_place ? out.data() : in.data();
    batch.in_bytes = in_place ? host.out.size() : host.in.size();
    batch.out = out.data();
    batch.out_bytes = host.out.size();
    batch.in_offsets = in_place ? out_offsets.data() : in_offsets.data();
    batch.lengths = lengths.data();
    batch.out_offsets = out_offsets.data();
    batch.associated_data = associated.data();
    batch.associated_bytes = host.associated.size();
    batch.associated_offsets = associated_offsets.data();
    batch.nonces = nonces.data();
    batch.tags = tags.data();
  }

  static ByteVector bytes_of(const std::vector<std::uint64_t>& numbers) {
    ByteVector bytes(numbers.size() * 8);
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
  }
};

}  // namespace
}  // namespace phalanx
