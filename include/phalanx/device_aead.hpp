// This header has authenticated encryption of data in a GPU's memory: GCM (SP 800-38D), one message or many in a call, and
// chunked encryption. phalanx.hpp has the conventions. Pointers here are to memory of the GPU unless they say otherwise.
// docs/gpu.md has the measured speed.
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

/// Seals and opens GCM or XAES-256-GCM under one key in memory of a GPU, on the caller's stream. A stream is a cudaStream_t,
/// or nullptr for the default stream. Messages may lie at any address. Messages that are aligned to 16 bytes are faster.
///
/// Tags come first: no plaintext of a message is written before its tag has verified. If a tag does not verify, the
/// message's place in `out` is filled with zeros, or stays as it is where the call works in place. The GPU reads a
/// ciphertext twice, for its tag and then for its text. So nothing else may write to it during the call, since a change
/// between the two would not be found.
///
/// Offsets, lengths, nonces and tags may come from the maker of the data. They are copied and checked on the GPU before
/// anything is written, and only the copies are used. So no byte outside `out` and `tags` is written, whatever they say.
class DeviceAead {
 public:
  /// `name`, `key` and `aead` are as for Aead, but nonces have one size. `options.engine` is "cuda" or "cuda:N"; empty means
  /// "cuda" here.
  /// Nonces have facts().iv_bytes bytes: 12, or 24 for "xaes-256-gcm". XAES-256-GCM derives a key for each message from its
  /// nonce, and is as fast as a batch with a key for each message.
  DeviceAead(std::string_view name, Bytes key, const EngineOptions& options = {}, const AeadOptions& aead = {});
  ~DeviceAead();  ///< waits until the work of all its calls is done
  DeviceAead(DeviceAead&&) noexcept;
  DeviceAead& operator=(DeviceAead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cuda:0"
  [[nodiscard]] std::size_t tag_bytes() const;      ///< the size of each tag

  /// Seals one message. `nonce` and `associated_data` are in the host's memory, and are read before the call returns. `in`,
  /// `out` and `tag` are on one GPU of the engine. `tag` has 16 bytes and overlaps nothing else. The work is enqueued, and
  /// the call does not wait for it.
  void seal(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, void* tag,
            void* stream = nullptr) const;
  /// Opens one message and waits. Throws Error (authentication) if its tag does not verify.
  void open(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, const void* tag,
            void* stream = nullptr) const;
  /// Opens one message without waiting: the caller asks for the result.
  [[nodiscard]] DeviceVerdicts open_async(Bytes nonce, Bytes associated_data, const void* in, void* out,
                                          std::size_t num_bytes, const void* tag, void* stream = nullptr) const;

  /// Seal or open many messages, and wait. A mistake that the host can see in a batch throws Error (usage) at the call. The
  /// data on the GPU is checked there. These throw as DeviceVerdicts::wait does.
  void seal_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  void open_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  /// These do not wait.
  [[nodiscard]] DeviceVerdicts seal_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;
  [[nodiscard]] DeviceVerdicts open_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// Seals and opens C2SP chunked encryption under one key and one context in memory of a GPU, on the caller's stream. The
/// messages are whole messages of ChunkedAead, which makes and opens the same ones, and computes their sizes (chunked.hpp).
/// Messages may lie at any address.
///
/// Each message has 24 random bytes of the host as its salt, and keys of its own. The host derives the keys and the GPU
/// expands them, and every call waits for that. open() also waits for the stream, since it reads the message's first 56
/// bytes. A call takes 1 % of the message's size in memory of the GPU while it works. Results have one DeviceVerdict for
/// each chunk.
///
/// Tags come first: no plaintext is written before the tags of all chunks have verified. If one does not verify, `out` is
/// filled with zeros. The GPU reads a message twice, so nothing else may write to it during the call. If a call throws,
/// nothing was written, except where a chunk is not authentic or the GPU failed.
class DeviceChunkedAead {
 public:
  /// `name`, `key` and `context` are as for ChunkedAead. `options.engine` is "cuda" or "cuda:N"; empty means "cuda" here.
  DeviceChunkedAead(std::string_view name, Bytes key, Bytes context = {}, const EngineOptions& options = {});
  ~DeviceChunkedAead();
  DeviceChunkedAead(DeviceChunkedAead&&) noexcept;
  DeviceChunkedAead& operator=(DeviceChunkedAead&&) noexcept;

  [[nodiscard]] const std::string& name() const;    ///< canonical: "cobblestone-128"
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cuda:0"

  /// Seals a whole message of plain_bytes of plaintext. `out` has ChunkedAead::sealed_bytes(plain_bytes) bytes and is
  /// disjoint from `in`. Waits.
  void seal(const void* in, std::uint64_t plain_bytes, void* out, void* stream = nullptr) const;
  /// Opens a whole message of sealed_bytes bytes. `out` has ChunkedAead::plain_bytes(sealed_bytes) bytes and is disjoint
  /// from `in`. Waits. Throws Error as ChunkedAead::open does: wrong_key; authentication, which names a chunk; truncated.
  void open(const void* in, std::uint64_t sealed_bytes, void* out, void* stream = nullptr) const;

  /// These do not wait for the work of the message, whose keys live as long as the results.
  [[nodiscard]] DeviceVerdicts seal_async(const void* in, std::uint64_t plain_bytes, void* out,
                                          void* stream = nullptr) const;
  /// `first_bytes`, in the host's memory, replace the message's first 56 bytes, and those in `in` are not read. So the call
  /// does not wait for the stream. Throws Error: wrong_key, truncated.
  [[nodiscard]] DeviceVerdicts open_async(Bytes first_bytes, const void* in, std::uint64_t sealed_bytes, void* out,
                                          void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
