// Authenticated encryption of data in a GPU's memory: GCM (SP 800-38D), one message or many in a call, and chunked
// encryption. phalanx.hpp has the conventions; pointers here are to memory of the GPU unless they say otherwise. docs/gpu.md
// has what it reaches.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <memory>
#include <phalanx/aead.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/device_batch.hpp>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

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
  /// `name`, `key` and `aead` are as for Aead, but nonces have one size. `options.engine` is "cuda" or
  /// "cuda:N"; empty means "cuda" here.
  /// Nonces have facts().iv_bytes: 12, and 24 of "xaes-256-gcm", which makes a key a message out of them, and is as fast
  /// as a key each.
  DeviceAead(std::string_view name, Bytes key, const EngineOptions& options = {}, const AeadOptions& aead = {});
  ~DeviceAead();  ///< waits until the work of all its calls is done
  DeviceAead(DeviceAead&&) noexcept;
  DeviceAead& operator=(DeviceAead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cuda:0"
  [[nodiscard]] std::size_t tag_bytes() const;      ///< the size of each tag

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

/// C2SP chunked encryption under one key and one context over memory of a GPU, on the caller's stream: the whole messages of
/// ChunkedAead, which makes and opens the same, and says how large they are (chunked.hpp). Messages may lie at any address.
///
/// Each message has 24 random bytes of the host as its salt, and keys of its own, which the host derives from them and the
/// GPU expands: every call waits for that, and open besides for what is on the stream, since it reads the message's first 56
/// bytes. Meanwhile a call has 1 % of the message's size in memory of the GPU. Verdicts have one for each chunk.
///
/// Tags come first: no plaintext is written before the tags of all chunks have verified. Where one does not, `out` is filled
/// with zeros. A message is read twice, so nobody else may write it during the call. Where a call throws something else than
/// that a chunk is not authentic, or that the GPU failed, nothing was written.
class DeviceChunkedAead {
 public:
  /// `name`, `key` and `context` are as for ChunkedAead. `options.engine` is "cuda" or "cuda:N"; empty means "cuda" here.
  DeviceChunkedAead(std::string_view name, Bytes key, Bytes context = {}, const EngineOptions& options = {});
  ~DeviceChunkedAead();
  DeviceChunkedAead(DeviceChunkedAead&&) noexcept;
  DeviceChunkedAead& operator=(DeviceChunkedAead&&) noexcept;

  [[nodiscard]] const std::string& name() const;    ///< canonical: "cobblestone-128"
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cuda:0"

  /// A whole message, of plain_bytes of plaintext, to `out`, which has ChunkedAead::sealed_bytes(plain_bytes) and is
  /// disjoint from `in`. Waits.
  void seal(const void* in, std::uint64_t plain_bytes, void* out, void* stream = nullptr) const;
  /// Opens one of sealed_bytes, to `out`, which has ChunkedAead::plain_bytes(sealed_bytes) and is disjoint from `in`. Waits.
  /// Throws Error as ChunkedAead::open does: wrong_key; authentication, which names a chunk; truncated.
  void open(const void* in, std::uint64_t sealed_bytes, void* out, void* stream = nullptr) const;

  /// These do not wait for the work of the message, whose keys live as long as the verdicts.
  [[nodiscard]] DeviceVerdicts seal_async(const void* in, std::uint64_t plain_bytes, void* out,
                                          void* stream = nullptr) const;
  /// `first_bytes`, in the host's memory, are taken for the message's first 56, and those in `in` are not read: so it does
  /// not wait for the stream. Throws Error: wrong_key, truncated.
  [[nodiscard]] DeviceVerdicts open_async(Bytes first_bytes, const void* in, std::uint64_t sealed_bytes, void* out,
                                          void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
