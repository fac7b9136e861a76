// Authenticated encryption of data in a GPU's memory: GCM (SP 800-38D), one message or many in a call. phalanx.hpp has the
// conventions; pointers here are to memory of the GPU unless they say otherwise. docs/gpu.md has what it reaches.
#pragma once

#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {

/// What became of a message of a batch.
enum class DeviceVerdict : std::uint8_t {
  forged = 0,     ///< to open: its tag does not verify
  authentic = 1,  ///< it was opened; or sealed
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

  const void* nonces = nullptr;  ///< 12 bytes each, one behind the other; 24 of XAES-256-GCM
  /// A key each, one behind the other, aligned to 8 bytes; nullptr: all have the DeviceAead's, and of XAES-256-GCM nothing
  /// else. They are expanded on the GPU in memory that is wiped; the array itself is the caller's to wipe.
  const void* keys = nullptr;
  void* tags = nullptr;  ///< to seal: written, 16 bytes each; to open: read, DeviceAead::tag_bytes() each
};

/// What became of a call, in the GPU's memory until somebody asks. May be moved from thread to thread; one thread at a
/// time.
class DeviceVerdicts {
 public:
  ~DeviceVerdicts();  ///< waits until the work of the call is done, and frees what the pointers below point to
  DeviceVerdicts(DeviceVerdicts&&) noexcept;
  DeviceVerdicts& operator=(DeviceVerdicts&&) noexcept;

  [[nodiscard]] std::size_t num_messages() const;
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
  struct __attribute__((visibility("hidden"))) State;
  explicit DeviceVerdicts(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

/// GCM or XAES-256-GCM under one key over memory of a GPU, on the caller's stream: a cudaStream_t, or nullptr for the
/// default stream. Messages may lie at any address; those that are aligned to 16 bytes are faster.
///
/// Tags come first: no plaintext of a message is written before its tag has verified. Where one does not, its place in `out`
/// is filled with zeros, or, in place, left as it is. A ciphertext is read twice, for its tag and then for its text, so
/// nobody else may write it during the call: between the two it could be changed.
///
/// Offsets, lengths, nonces and tags may come from whoever made the data. They are copied and checked on the GPU before
/// anything is written, and only the copies are used: no byte outside `out` and `tags` is written, whatever they say.
class DeviceAead {
 public:
  /// `name`, `key` and `tag_bytes` are as for Aead. `options.engine` is "cuda" or "cuda:N"; empty means "cuda" here.
  /// Nonces have facts().iv_bytes: 12, and 24 of "xaes-256-gcm", which makes a key a message out of them, and is as fast
  /// as a key each.
  DeviceAead(std::string_view name, Bytes key, const Options& options = {}, std::size_t tag_bytes = 16);
  ~DeviceAead();  ///< waits until the work of all its calls is done
  DeviceAead(DeviceAead&&) noexcept;
  DeviceAead& operator=(DeviceAead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;
  [[nodiscard]] std::size_t tag_bytes() const;

  /// Seals one message. `nonce` and `associated_data` are in the host's memory, and read before the call returns; `in`,
  /// `out` and `tag` (16 bytes, which overlap nothing else) on one GPU of the engine. The work is enqueued, and the call
  /// does not wait for it.
  void seal(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, void* tag,
            void* stream = nullptr) const;
  /// Opens one message and waits. Throws Error (authentication) if its tag does not verify.
  void open(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, const void* tag,
            void* stream = nullptr) const;
  /// The same without waiting: the verdict is for its caller to ask.
  [[nodiscard]] DeviceVerdicts open_async(Bytes nonce, Bytes associated_data, const void* in, void* out,
                                          std::size_t num_bytes, const void* tag, void* stream = nullptr) const;

  /// Many messages. What the host can see of a batch throws Error (usage) at the call; what lies on the GPU is checked
  /// there. These wait, and throw as DeviceVerdicts::wait does.
  void seal_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  void open_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  /// These do not wait.
  [[nodiscard]] DeviceVerdicts seal_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;
  [[nodiscard]] DeviceVerdicts open_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop
