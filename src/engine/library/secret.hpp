// A result that follows from a secret at a price may be kept beside it, for as long as anybody has the secret, and no
// longer.
#pragma once

#include <memory>
#include <phalanx/secret.hpp>

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Is destroyed with the last owner of the secret. All secrets that have one have one of the same class.
struct __attribute__((visibility("hidden"))) SecretCompanion {
  using Make = std::unique_ptr<SecretCompanion> (*)();

  SecretCompanion() = default;
  virtual ~SecretCompanion() = default;
  SecretCompanion(const SecretCompanion&) = delete;
  SecretCompanion& operator=(const SecretCompanion&) = delete;

  /// The companion of a secret and of all its copies, which the first call makes; nullptr where the secret is empty. Any
  /// number of threads may call it at once.
  [[nodiscard]] static SecretCompanion* of(const SharedSecret& secret, Make make);
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
