// Bytes of the host's memory on their way into a GPU's, part by part: a part may be crypted there before the next one comes,
// and its bytes may go to many places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// Where uploads go.
struct DeviceUploadPlace {
  Bytes memory;       ///< the host's, of which parts come: page-locked, it is copied from there
  std::uint8_t* out;  ///< a GPU's
  std::size_t out_bytes;
  int num_threads;  ///< of copies in the host's memory; 0: all
};

/// A part in the GPU's memory, behind what is on its stream: bytes of the host's memory, and what was written beside them.
/// Both lie there until a later part takes their place, behind the work on `stream`, a cudaStream_t.
struct UploadedPart {
  std::uint64_t number;
  const std::uint8_t* bytes;  ///< aligned to 16
  const std::uint8_t* notes;  ///< the same
  void* stream;
};

/// Runs of bytes, all in a GPU's memory: run i is bytes[starts[i] to starts[i + 1]], and goes to out + offsets[i].
struct ScatterWrites {
  const std::uint8_t* bytes;
  const std::uint64_t* starts;
  const std::uint64_t* offsets;
  std::uint64_t count;
  std::uint8_t* out;
};

/// Not for several threads at once. Throws Error (runtime) if the GPU fails, and what the function of settle_later throws:
/// then no later call does anything. The caller checks that all offsets are within their memory.
class DeviceUploads {
 public:
  DeviceUploads() = default;
  DeviceUploads(const DeviceUploads&) = delete;
  DeviceUploads& operator=(const DeviceUploads&) = delete;
  virtual ~DeviceUploads() = default;  ///< waits

  /// Parts that are no longer, with their notes, are quickest.
  [[nodiscard]] virtual std::size_t part_bytes() const = 0;
  /// Whether a function of settle_later has thrown.
  [[nodiscard]] virtual bool has_failed() const = 0;
  /// Brings bytes [offset, offset + num_bytes) of the host's memory, and num_note_bytes that write_notes writes. What is
  /// wrong with an earlier part may be thrown here.
  virtual UploadedPart bring(std::uint64_t offset, std::size_t num_bytes, std::size_t num_note_bytes,
                             const std::function<void(std::uint8_t* notes)>& write_notes) = 0;
  /// Enqueues the writes on the part's stream.
  virtual void scatter(const UploadedPart& part, const ScatterWrites& writes) = 0;
  /// Calls settle when the work that is enqueued on the part's stream is done: once, before a later part takes its place.
  virtual void settle_later(const UploadedPart& part, std::function<void()> settle) = 0;
  /// Puts bytes at out + offset.
  virtual void write(std::uint64_t offset, Bytes bytes) = 0;
  /// Copies num_bytes bytes of the host's memory, from offset `from` on, to out + to.
  virtual void copy(std::uint64_t from, std::uint64_t num_bytes, std::uint64_t to) = 0;
  /// Waits. Of several parts whose functions throw, over all calls, the first one's has thrown.
  virtual void finish() = 0;
  /// Waits, and overwrites all of `out` with zeros.
  virtual void clear() noexcept = 0;
};

}  // namespace phalanx
