// Phalanx's container: authenticated, seekable files under key files and passphrases. docs/format.md specifies it; phalanx.hpp
// has the conventions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/phalanx.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {

/// What deriving a key from a passphrase costs (scrypt, RFC 7914): 128 * 2^log2_n * r bytes of memory, and p times that of work.
/// From 1 MiB to 1 GiB of work, or an Error (policy).
struct ScryptCost {
  std::uint8_t log2_n = 17;
  std::uint8_t r = 8;
  std::uint8_t p = 1;
};

/// Who may open a container: the holder of a key, or of a passphrase.
struct Recipient {
  enum class Kind : std::uint8_t { key = 1, passphrase = 2 };
  Kind kind = Kind::key;
  Bytes secret;  ///< a key of the suite's length, uniformly random; or a passphrase, any bytes but none. The caller's memory
  ScryptCost cost;  ///< for sealing under a passphrase; a container that is opened names its own
};

/// The size of the container of so many bytes for these recipients.
[[nodiscard]] std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients,
                                            std::uint64_t plain_bytes);

/// Seals `in` for all the recipients, 1 at least, under a new random key. `suite`: "aes-256", "aes-128", "serpent-256",
/// "twofish-256", case ignored. `out` is container_bytes() long and disjoint from `in`.
void seal_container(std::string_view suite, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const Options& options = {});

/// What opening one container may cost in scrypt: 128 * N * r * p bytes, summed over all the derivations that are tried. It is enough
/// for one passphrase on 16 records of the usual cost.
inline constexpr std::uint64_t default_scrypt_budget = std::uint64_t{2} << 30;

/// Reads `out.size()` bytes at `offset` of a container; fails by throwing.
using ReadAt = std::function<void(std::uint64_t offset, MutableBytes out)>;

/// An open container, for reading any part of it. Immutable; any number of threads may use it at once if `read_at` may be called
/// so.
class ContainerReader {
 public:
  /// Opens the container of `container_bytes` bytes as any of the recipients, and authenticates its header and its length.
  /// Throws Error: wrong_key if none of them opens it, authentication, truncated, usage (no container of a version and suite
  /// that this library knows), policy (none opens it, and a passphrase was not tried on a record: it would cost more than 1 GiB, or
  /// more than scrypt_budget together with those that cost less).
  ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Recipient> recipients,
                  const Options& options = {}, std::uint64_t scrypt_budget = default_scrypt_budget);
  /// The same of a container in memory, which must stay.
  ContainerReader(Bytes container, std::span<const Recipient> recipients, const Options& options = {},
                  std::uint64_t scrypt_budget = default_scrypt_budget);
  ~ContainerReader();
  ContainerReader(ContainerReader&&) noexcept;
  ContainerReader& operator=(ContainerReader&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;        ///< bytes of plaintext
  [[nodiscard]] const std::string& suite() const;  ///< "aes-256"

  /// The plaintext from `offset` on, out.size() bytes, all within size(). Reads and authenticates the chunks that hold them, and
  /// only those. Throws Error (authentication), which names the first chunk that is not authentic: `out` then holds zeros.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop
