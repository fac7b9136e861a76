// This header has memory for keys, random bytes for them, and wiping. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <utility>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

struct __attribute__((visibility("hidden"))) SecretCompanion;  // of the library alone

/// Owns bytes that are in no core dump, are not swapped out where the process's limits allow, and are wiped before the
/// memory goes back. The memory is aligned to 64 bytes. Several threads may read it at once. SECURITY.md says what this does
/// not stop.
class Secret {
 public:
  Secret();                                ///< empty
  explicit Secret(std::size_t num_bytes);  ///< zeros; throws Error (runtime) if there is no memory
  explicit Secret(Bytes bytes);            ///< a copy; the caller wipes the original
  ~Secret();
  Secret(Secret&&) noexcept;
  Secret& operator=(Secret&&) noexcept;

  [[nodiscard]] std::size_t size() const;                             ///< in bytes
  [[nodiscard]] const std::uint8_t* data() const;                     ///< valid as long as the Secret
  [[nodiscard]] std::uint8_t* data();                                 ///< the same, to fill it
  [[nodiscard]] operator Bytes() const { return {data(), size()}; }   // NOLINT(google-explicit-constructor)
  [[nodiscard]] operator MutableBytes() { return {data(), size()}; }  // NOLINT(google-explicit-constructor)

 private:
  friend struct SecretCompanion;
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

/// This is a copy of a secret that any number of owners share. It is wiped with the last of them. Several threads may read
/// it at once.
class SharedSecret {
 public:
  SharedSecret() = default;  ///< empty
  /// Copies anything that converts to Bytes; the caller wipes the original. Throws as Secret does.
  template <class Memory>
  requires(std::convertible_to<const Memory&, Bytes> && !std::same_as<Memory, SharedSecret>)
      SharedSecret(const Memory& memory)
      : SharedSecret(Secret(static_cast<Bytes>(memory))) {}  // NOLINT(google-explicit-constructor)
  SharedSecret(Secret&& secret)
      : secret_(std::make_shared<const Secret>(std::move(secret))) {}  // NOLINT(google-explicit-constructor)

  /// These are the bytes that it holds; none where it is empty.
  [[nodiscard]] Bytes bytes() const { return secret_ ? Bytes(*secret_) : Bytes(); }
  [[nodiscard]] operator Bytes() const { return bytes(); }  // NOLINT(google-explicit-constructor)
  /// In bytes.
  [[nodiscard]] std::size_t size() const { return bytes().size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }  ///< whether it has no bytes

 private:
  friend struct SecretCompanion;
  std::shared_ptr<const Secret> secret_;
};

/// Returns `num_bytes` fresh bytes of libcrypto's generator for secrets, for example a new key. Throws Error (runtime) if
/// the generator fails.
[[nodiscard]] Secret random_secret(std::size_t num_bytes);

/// Fills `out` from libcrypto's generator, for nonces and salts. Throws Error (runtime) if the generator fails.
void random_bytes(MutableBytes out);

/// Overwrites memory in a way that no compiler leaves out.
void wipe_memory(MutableBytes memory) noexcept;

/// Says whether the two are equal, in a time that depends on their sizes alone.
[[nodiscard]] bool equal_in_constant_time(Bytes a, Bytes b) noexcept;

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
