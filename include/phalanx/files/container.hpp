// This header has Phalanx's container: authenticated, seekable files under keys and passphrases. docs/format.md specifies
// it, and phalanx.hpp has the conventions. A container is sealed for recipients and opened by identities. `suite` is
// "aes-256", "aes-128", "serpent-256" or "twofish-256", in upper or lower case.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <phalanx/secret.hpp>
#include <phalanx/streams.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// A container is opened by a key, a passphrase, or the identity that belongs to a public key.
enum class KeyKind : std::uint8_t { key = 1, passphrase = 2, public_key = 3 };

/// This is the cost of deriving a key from a passphrase (scrypt, RFC 7914). It takes 128 * 2^log2_n * r bytes of memory, and
/// p times that of work. Less than 1 MiB or more than 1 GiB of work is an Error (policy).
struct ScryptCost {
  std::uint8_t log2_n = 17;
  std::uint8_t r = 8;
  std::uint8_t p = 1;
};

/// This is a file key of age (c2sp.org/age) that was wrapped for one recipient.
struct WrappedFileKey {
  std::vector<std::string> stanzas;   ///< 1 to 64, each as age's text, "-> TYPE ...", 8 KiB at most
  std::vector<std::string> labels{};  ///< labels of extension-labels of c2sp.org/age-plugin, each once
};

/// Wraps a file key of 16 bytes, new and random, for a public key that the library does not know itself. A call that has
/// wrapped ahead may replace them by other bytes, as random, that were never there before. Throws if it fails.
using WrapFileKey = std::function<WrappedFileKey(MutableBytes file_key)>;

/// Writes the 16 bytes of the file key that one of the stanzas wraps. Returns false where no stanza is this identity's.
/// Throws if it fails.
using UnwrapFileKey = std::function<bool(std::span<const std::string> stanzas, MutableBytes file_key)>;

/// Describes a recipient: the holder of a key, of a passphrase, or of the identity of a public key. A container for public
/// keys alone does not authenticate its maker, and has a strength of 128 bits whatever its suite.
///
/// Copies of a recipient share its secret, and beside that the keys that scrypt makes of a passphrase. So all containers
/// that are sealed for it in one suite, at one cost, take one derivation, and have one salt of scrypt. Equal salts show
/// which containers one passphrase opens. A recipient that is made anew has a salt of its own.
struct Recipient {
  KeyKind kind = KeyKind::key;
  /// This is a uniformly random key of the suite's size, a passphrase that is not empty, or the text of a public key of age,
  /// "age1..." for X25519.
  SharedSecret secret{};
  ScryptCost cost{};   ///< the cost of a passphrase; unused otherwise
  WrapFileKey wrap{};  ///< for other public keys: a call of the caller; `secret` may have the key's text
  /// Lets it stand beside others whose labels differ. Without it that is an Error (policy).
  bool may_be_mixed = false;
};

/// Describes an identity, which opens a container. The container says what a passphrase costs. Copies of an identity share
/// the keys that scrypt makes of a passphrase: one derivation for each salt, of which 1,024 are kept.
struct Identity {
  KeyKind kind = KeyKind::key;
  SharedSecret secret{};   ///< as for Recipient; for a public key "AGE-SECRET-KEY-1..."
  UnwrapFileKey unwrap{};  ///< for other public keys, in place of the text
};

/// Limits the cost of scrypt for opening a container, as bytes of work: 128 * N * r * p.
struct CostLimits {
  std::uint64_t one_passphrase = std::uint64_t{1} << 30;
  std::uint64_t all_passphrases = std::uint64_t{2} << 30;  ///< summed over all derivations that are tried
};

/// Binds a container to more than its keys, so that no other can take its place: a context, a name, both or nothing. Opening
/// needs the same context, which enters the key of the content. A name is no key material: it is sealed in the header, and
/// compared. A container that is a file has a name: the last part of its path without ".phalanx", or in a tree its path
/// below the folder that is named. A bound container has version 2, which older readers refuse.
struct Binding {
  Bytes context{};          ///< empty: none; the caller's memory
  std::string name{};       ///< to seal: up to 16,383 bytes; to open: replaces the container's own name. Empty: none
  std::string below{};      ///< precedes every name of a file: where the folder that is named lies in the whole tree
  bool any_name = false;    ///< to open: names are not compared
  bool needs_name = false;  ///< to open: a container that is bound to no name is an Error (usage)
};

/// Computes the size of a container that holds plain_bytes for these recipients, and checks them as seal_container does.
/// Throws Error (usage) where a call of the caller wraps for one, since its stanzas have any size.
[[nodiscard]] std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients,
                                            std::uint64_t plain_bytes, const Binding& binding = {});

/// Seals `in` under a new random key, for one recipient or more. `out` has container_bytes() bytes and is disjoint from
/// `in`.
void seal_container(std::string_view suite, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const EngineOptions& options = {}, const Binding& binding = {});

/// Seals a stream of any length. One thread at a time may use it.
class ContainerWriter {
 public:
  ContainerWriter(Append append, std::string_view suite, std::span<const Recipient> recipients,
                  const EngineOptions& options = {}, const Binding& binding = {});
  ~ContainerWriter();  ///< without finish, the container is truncated, and readers say so
  ContainerWriter(ContainerWriter&&) noexcept;
  ContainerWriter& operator=(ContainerWriter&&) noexcept;

  /// Keeps less than 4 MiB until more comes. After a call that threw, the writer takes nothing more.
  void write(Bytes plain);
  /// Seals from memory of an NVIDIA GPU, behind the work on `stream`, a cudaStream_t or nullptr for the default stream, and
  /// waits. Only ciphertext crosses the link. The bytes that were written before are a multiple of 16,384, and so is
  /// num_bytes; else it throws Error (usage). Only the last call before finish() may have another num_bytes. `append` may
  /// not send data through the GPU, as for read_to_device.
  void write_from_device(const void* plain, std::size_t num_bytes, void* stream = nullptr);
  /// Seals the rest. Nothing can be written afterwards.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// Reads any part of an open container. It is immutable. Any number of threads may use it at once, if they may call
/// `read_at` at once.
class ContainerReader {
 public:
  /// Opens the container of `container_bytes` bytes by the identity that fits, and authenticates its header and its length.
  /// Throws Error with these codes:
  /// - wrong_key: no identity fits, or the context is another
  /// - authentication: the header or the length is not authentic, as after a cut inside of a chunk; or the name is another
  /// - truncated: the container is cut elsewhere, which its length shows
  /// - format: it is no container, or has a version or suite that this library does not know
  /// - usage: an identity's key has another length, or a context or name is given or missing where the container is bound
  ///   otherwise
  /// - policy: no identity fits, and a passphrase was not tried, since that would cost more than the limits
  ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Identity> identities,
                  const EngineOptions& options = {}, const CostLimits& limits = {}, const Binding& binding = {});
  /// Opens a container in memory, which must stay as it is while there is a reader.
  ContainerReader(Bytes container, std::span<const Identity> identities, const EngineOptions& options = {},
                  const CostLimits& limits = {}, const Binding& binding = {});
  /// Opens a container in a file, which the reader keeps open, and whose name is its path's.
  ContainerReader(const std::string& path, std::span<const Identity> identities, const EngineOptions& options = {},
                  const CostLimits& limits = {}, const Binding& binding = {});
  ~ContainerReader();
  ContainerReader(ContainerReader&&) noexcept;
  ContainerReader& operator=(ContainerReader&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;        ///< bytes of plaintext
  [[nodiscard]] const std::string& suite() const;  ///< "aes-256"

  /// Reads out.size() bytes of plaintext from `offset` on, all within size(). Reads and authenticates the chunks that hold
  /// them, and only those. Throws Error (authentication), which names the first chunk that is not authentic, and what
  /// `read_at` throws. `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;
  /// Reads into memory of an NVIDIA GPU, behind the work on `stream`, a cudaStream_t or nullptr for the default stream, and
  /// waits. Ciphertext crosses the link, and the GPU opens it. The host sees no plaintext but that of the last chunk, when
  /// the reader is made. If the reader's engine is "cuda" or "cuda:N", the memory is of that engine's GPUs, else of any GPU.
  /// A container in page-locked memory is copied from there. While it runs, no other call sends data of the host through
  /// that GPU, and neither may `read_at`. Throws Error (usage) where there is no GPU or `out` is not memory of one.
  void read_to_device(std::uint64_t offset, void* out, std::size_t num_bytes, void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
