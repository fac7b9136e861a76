// This header describes batches of messages in a GPU's memory, for DeviceCipher and DeviceAead, and their results.
// phalanx.hpp has the conventions. Pointers here are to memory of the GPU.
#pragma once

#include <phalanx/version.h>

#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// This is the result of one message of a batch, or of one chunk of a message.
enum class DeviceVerdict : std::uint8_t {
  forged = 0,     ///< to open: its tag does not verify
  authentic = 1,  ///< opened, sealed, or crypted by a DeviceCipher, which authenticates nothing
  misplaced = 2,  ///< offsets or lengths of the batch do not fit: none of its messages was read or written
};

/// Describes many messages, as a column has them. Each number of an array has offset_bytes bytes and counts bytes.
struct DeviceBatch {
  std::size_t num_messages = 0;

  /// All messages are read from `in` and written to `out`. Both are the same memory, where each message is written to its
  /// own place, or they are disjoint.
  const void* in = nullptr;
  std::size_t in_bytes = 0;
  void* out = nullptr;
  std::size_t out_bytes = 0;

  std::size_t offset_bytes = 8;  ///< 8 or 4; the arrays of numbers are aligned to it
  /// Says where each message begins in `in`. With `lengths` the array has num_messages numbers. Without it there is one
  /// more, and a message ends where the next one begins.
  const void* in_offsets = nullptr;
  const void* lengths = nullptr;
  /// Says where each message begins in `out`, in ascending order: none reaches into the next one. With nullptr each begins
  /// where it does in `in`.
  const void* out_offsets = nullptr;

  /// Holds all associated data. The offsets are num_messages + 1 numbers, and each message's data ends where the next one's
  /// begins. With nullptr no message has associated data.
  const void* associated_data = nullptr;
  std::size_t associated_bytes = 0;
  const void* associated_offsets = nullptr;

  /// Holds the nonces one after the other: 12 bytes each, or 24 for XAES-256-GCM. A DeviceCipher takes ivs here,
  /// facts().iv_bytes each, which are tweaks in XTS.
  const void* nonces = nullptr;
  /// Holds one key for each message, one after the other, aligned to 8 bytes. With nullptr all messages have the key of the
  /// DeviceAead or DeviceCipher. XAES-256-GCM takes nullptr alone. Keys are expanded on the GPU in memory that is wiped. The
  /// caller wipes the array itself.
  const void* keys = nullptr;
  void* tags = nullptr;  ///< to seal: written, 16 bytes each; to open: read, DeviceAead::tag_bytes() each
};

/// Describes consecutive sectors of XTS, each of which is a data unit of its own.
struct DeviceSectors {
  const void* in = nullptr;  ///< the same as `out`, or disjoint from it
  void* out = nullptr;
  std::size_t num_bytes = 0;
  /// Has the bounds of SectorCipher::encrypt. The last sector may be shorter, but has at least 16 bytes.
  std::size_t sector_bytes = 512;
  std::uint64_t first_tweak = 0, tweak_step = 1;
  /// Gives the tweak of each sector instead of first_tweak and tweak_step: eight bytes each, aligned to 8 bytes.
  const std::uint64_t* numbers = nullptr;
};

/// Holds the results of a call in the GPU's memory until the caller reads them. It may move from thread to thread, and one
/// thread at a time may use it.
class DeviceVerdicts {
 public:
  ~DeviceVerdicts();  ///< waits until the work of the call is done, and frees what the pointers below point to
  DeviceVerdicts(DeviceVerdicts&&) noexcept;
  DeviceVerdicts& operator=(DeviceVerdicts&&) noexcept;

  [[nodiscard]] std::size_t num_messages() const;  ///< of the batch
  /// These pointers are to the GPU's memory, for kernels behind the call on its stream. The first points to a word that is 1
  /// if every message is authentic, else 0. The second points to a DeviceVerdict for each message.
  [[nodiscard]] const std::uint32_t* all_authentic() const;
  [[nodiscard]] const DeviceVerdict* each() const;
  /// Enqueues a kernel that traps unless all messages are authentic. After a trap nothing behind it on the stream runs, the
  /// stream's synchronisation fails, and the process can do nothing more with this GPU. Does not wait.
  void require(void* stream) const;

  /// Waits for the work of the call. Throws Error: authentication, if a message is forged; usage, if the batch is misplaced;
  /// runtime, if the GPU failed.
  void wait() const;
  /// Waits for the work of the call and copies what each() points to. Throws Error (runtime) if the GPU failed.
  [[nodiscard]] std::vector<DeviceVerdict> read() const;

 private:
  friend class DeviceAead;
  friend class DeviceChunkedAead;
  friend class DeviceCipher;
  struct __attribute__((visibility("hidden"))) State;
  explicit DeviceVerdicts(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
