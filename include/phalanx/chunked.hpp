// This header has C2SP chunked encryption (c2sp.org/chunked-encryption, v1) under a key and a context of the caller.
// Messages of any length are sealed and opened as they come, and read at any place. phalanx.hpp has the conventions.
// docs/format.md, section 2, specifies a message. It has no header: its reader knows cipher, key and context. If several
// keys or passphrases are to open the same data, use the containers of container.hpp.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <phalanx/streams.hpp>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {
struct __attribute__((visibility("hidden"))) ChunkedKey;  // inside the library

inline namespace PHALANX_VERSION_NAMESPACE {

/// Seals and opens messages under one key and one context. Each message gets 24 random bytes of its own as its salt, and
/// keys that are derived from them; no call takes a salt or a nonce. One key is good for about 2^32 messages of 32 GiB, or
/// 2^25 of 1 TiB. A message has at most 2^38 chunks of 16 KiB; more is an Error (usage).
class ChunkedAead {
 public:
  /// `name`, in upper or lower case, is "cobblestone-128", "cobblestone-256", "serpent-256" or "twofish-256". The first two
  /// are the standard's names with AES-128-GCM and AES-256-GCM. GCM of Serpent and Twofish is in no standard of chunked
  /// encryption. `key` has 16 bytes for cobblestone-128, else 32, and is uniformly random. `context`, of any length, says
  /// what the messages are for. It is in no message, and a message opens under the same context alone. Both are copied.
  ChunkedAead(std::string_view name, Bytes key, Bytes context = {}, const EngineOptions& options = {});
  ~ChunkedAead();
  ChunkedAead(ChunkedAead&&) noexcept;
  ChunkedAead& operator=(ChunkedAead&&) noexcept;

  [[nodiscard]] const std::string& name() const;    ///< canonical: "cobblestone-128"
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cpu:avx512"

  /// Returns the size of the message that plain_bytes of plaintext give: 56 bytes more, and 16 for each chunk begun.
  [[nodiscard]] static std::uint64_t sealed_bytes(std::uint64_t plain_bytes);
  /// Returns the size of the plaintext of a message of that size. Throws Error (truncated) for a size that no message has.
  [[nodiscard]] static std::uint64_t plain_bytes(std::uint64_t sealed_bytes);

  /// Seals a whole message. `out` has sealed_bytes(in.size()) bytes and is disjoint from `in`.
  void seal(Bytes in, MutableBytes out) const;
  /// Opens a whole message. `out` has plain_bytes(in.size()) bytes and is disjoint from `in`; after a failure it holds
  /// zeros. Throws Error with these codes:
  /// - wrong_key: key, context or cipher differs, or the message's first 56 bytes were changed
  /// - authentication: a chunk is not authentic, and the message names the first one
  /// - truncated: no message has that size
  void open(Bytes in, MutableBytes out) const;

 private:
  friend ChunkedKey;
  std::shared_ptr<const ChunkedKey> key_;
};

/// Seals a message of any length as it comes. One thread at a time may use it. It copies what it needs of the ChunkedAead.
class ChunkedSealer {
 public:
  /// `append` takes the message's next bytes, in order, and throws if it fails. The constructor appends the first 56.
  ChunkedSealer(const ChunkedAead& aead, Append append);
  ~ChunkedSealer();  ///< without finish, the message is truncated, and readers say so
  ChunkedSealer(ChunkedSealer&&) noexcept;
  ChunkedSealer& operator=(ChunkedSealer&&) noexcept;

  /// Each chunk is appended once it is full; less than 16 KiB is kept. All threads work on the bytes of one call: give a MiB
  /// or more where speed counts. After a call that threw, the sealer takes nothing more.
  void write(Bytes plain);
  /// Seals the rest. Nothing can be written afterwards.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// Opens a message as it comes, and gives plaintext of verified chunks alone. Until finish has returned, the message may
/// have been cut. One thread at a time may use it. It copies what it needs of the ChunkedAead.
class ChunkedOpener {
 public:
  /// `append` takes the next bytes of plaintext, in order, and throws if it fails.
  ChunkedOpener(const ChunkedAead& aead, Append append);
  ~ChunkedOpener();
  ChunkedOpener(ChunkedOpener&&) noexcept;
  ChunkedOpener& operator=(ChunkedOpener&&) noexcept;

  /// Opens and appends each chunk that is complete; less than one is kept. Threads work as in ChunkedSealer. After a call
  /// that threw, the opener takes nothing more. Throws Error with these codes:
  /// - wrong_key: as ChunkedAead::open, once the message's first 56 bytes have come
  /// - authentication: a chunk is not authentic, and neither it nor any chunk behind it is appended
  void write(Bytes sealed);
  /// Opens the last chunk. Throws Error: truncated if there is none, or if it is shorter than its tag; authentication, also
  /// where the message was cut inside a chunk.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// Reads any part of an open message. It is immutable. Any number of threads may use it at once, if they may call `read_at`
/// at once. It copies what it needs of the ChunkedAead.
class ChunkedReader {
 public:
  /// Opens the message of `sealed_bytes` bytes that `read_at` reads, and authenticates its length, by its last chunk. Throws
  /// as ChunkedAead::open does.
  ChunkedReader(const ChunkedAead& aead, ReadAt read_at, std::uint64_t sealed_bytes);
  /// Opens a message in memory, which must stay as it is while there is a reader. chunked_file.hpp opens files.
  ChunkedReader(const ChunkedAead& aead, Bytes sealed);
  ~ChunkedReader();
  ChunkedReader(ChunkedReader&&) noexcept;
  ChunkedReader& operator=(ChunkedReader&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;  ///< bytes of plaintext

  /// Reads out.size() bytes of plaintext from `offset` on, all within size(). Reads and authenticates the chunks that hold
  /// them, and only those. Throws Error (authentication), which names the first chunk that is not authentic, and what
  /// `read_at` throws. `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
