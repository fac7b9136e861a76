// This header has public keys by calls of a caller in C.
#pragma once

#include <phalanx/files/container.h>

#include <cstddef>
#include <cstdint>
#include <phalanx/files/container.hpp>

namespace phalanx {

/// Returns the struct that a secret of the kind PHALANX_PUBLIC_KEY_CALLS is. Throws Error (usage) where it is none.
[[nodiscard]] phalanx_public_key_calls calls_at(const std::uint8_t* secret, std::size_t secret_bytes);

/// Return the caller's calls as functions. They throw Error (usage) where there is no call, and runtime where a call says
/// that it failed.
[[nodiscard]] WrapFileKey wrap_in_c(const phalanx_public_key_calls& calls);
[[nodiscard]] UnwrapFileKey unwrap_in_c(const phalanx_public_key_calls& calls);

}  // namespace phalanx
