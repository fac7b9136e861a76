// Many messages in a GPU's memory, for DeviceCipher and DeviceAead, and what became of them. phalanx.hpp has the
// conventions; pointers here are to memory of the GPU.
#pragma once

#include <phalanx/version.h>

#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// What became of a message of a batch, or of a chunk of a message.
enum class DeviceVerdict : std::uint8_t {
  forged = 0,     ///< to open: its tag does not verify
  authentic = 1,  ///< it was opened; or sealed; or, of a DeviceCipher, which authenticates nothing, crypted
  misplaced = 2,  ///< offsets or lengths of the batch do not fit: none of its messages was read or written
};

/// Many messages, as a column has them. All numbers of the arrays have offset_bytes bytes and count bytes.
struct DeviceBatch {
  std::size_t num_messages = 0;

  /// The memory that all messages are read from, and that they are written to: the same (each message is then written
  /// where it was read) or disjoint.
  const void* in = nullptr;
  std::size_t in_bytes = 0;
  void* out = nullptr;
  std::size_t out_bytes = 0;

  std::size_t offset_bytes = 8;  ///< or 4; the arrays of numbers are aligned to it
  /// Where each message begins in `in`. With lengths: num_messages numbers. Without: one more, and a message ends where
  /// the next one begins.
  const void* in_offsets = nullptr;
  const void* lengths = nullptr;
  /// Where each begins in `out`, ascending: none reaches into the next one. nullptr: where it begins in `in`.
  const void* out_offsets = nullptr;

  /// The memory of all associated data, and where each message's begins: num_messages + 1 numbers, each one's ending where
  /// the next begins. nullptr: no message has any.
  const void* associated_data = nullptr;
  std::size_t associated_bytes = 0;
  const void* associated_offsets = nullptr;

  /// One behind the other: 12 bytes each, 24 of XAES-256-GCM. Of a DeviceCipher: ivs, facts().iv_bytes each; XTS: tweaks.
  const void* nonces = nullptr;
  /// A key each, one behind the other, aligned to 8 bytes; nullptr: all have the DeviceAead's or DeviceCipher's, and of
  /// XAES-256-GCM nothing else. They are expanded on the GPU in memory that is wiped; the array itself is the caller's to
  /// wipe.
  const void* keys = nullptr;
  void* tags = nullptr;  ///< to seal: written, 16 bytes each; to open: read, DeviceAead::tag_bytes() each
};

/// Sectors of XTS one behind the other, each its own data unit.
struct DeviceSectors {
  const void* in = nullptr;  ///< `out`, or disjoint from it
  void* out = nullptr;
  std::size_t num_bytes = 0;
  /// As for SectorCipher::encrypt. The last sector may be shorter, but has at least 16 bytes.
  std::size_t sector_bytes = 512;
  std::uint64_t first_tweak = 0, tweak_step = 1;
  /// Instead of these: the number of each sector, its tweak, eight bytes each and aligned to them.
  const std::uint64_t* numbers = nullptr;
};

/// What became of a call, in the GPU's memory until somebody asks. May be moved from thread to thread; one thread at a
/// time.
class DeviceVerdicts {
 public:
  ~DeviceVerdicts();  ///< waits until the work of the call is done, and frees what the pointers below point to
  DeviceVerdicts(DeviceVerdicts&&) noexcept;
  DeviceVerdicts& operator=(DeviceVerdicts&&) noexcept;

  [[nodiscard]] std::size_t num_messages() const;  ///< how many the batch has
  /// In the GPU's memory, for kernels behind the call on its stream: a word that is 1 if every message is authentic, else
  /// 0; a DeviceVerdict for each message.
  [[nodiscard]] const std::uint32_t* all_authentic() const;
  [[nodiscard]] const DeviceVerdict* each() const;
  /// Enqueues a kernel that traps unless all are authentic: nothing behind it on the stream runs then, the stream's
  /// synchronisation fails, and the process can do nothing more with this GPU. Does not wait.
  void require(void* stream) const;

  /// Waits for the work of the call. Throws Error: authentication, if a message is forged; usage, if the batch is
  /// misplaced; runtime, if the GPU failed.
  void wait() const;
  /// Waits for it and copies what each() has. Throws Error (runtime) if the GPU failed.
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
