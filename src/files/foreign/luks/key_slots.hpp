// A passphrase opens a key slot, which has the volume key.
#pragma once

#include <functional>
#include <optional>
#include <phalanx/bytes.hpp>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/luks/luks_header.hpp"

namespace phalanx {

/// A header may ask for no more: it is not to be trusted, and its writer may want this machine to be busy. cryptsetup has
/// the same bound of memory.
inline constexpr std::uint32_t most_argon2_kib = std::uint32_t{4} << 20;
inline constexpr std::uint64_t most_argon2_passes_kib = std::uint64_t{64} << 20;  ///< passes times memory
inline constexpr std::uint32_t most_argon2_lanes = 64;
inline constexpr std::uint32_t most_pbkdf2_iterations = 100'000'000;

/// Throws Error (policy) where a derivation costs more than is allowed: it says the number and the bound.
void check_cost(const LuksDerivation& derivation);

struct KeySlotChoice {
  std::optional<unsigned> number{};                      ///< nullopt: all but those that are only taken by their number
  std::function<void(const LuksSlot& slot)> on_trial{};  ///< called before each derivation, which may take seconds
};

struct OpenedSlot {
  unsigned number = 0;
  SecretBytes volume_key;
};

/// Tries the passphrase on the slots whose key is that of all segments. `bytes` have the header and the slots. Throws Error:
/// - wrong_key where it opens none, format where no slot is to be tried, usage where the number is of no slot in use;
/// - what kept a slot from being tried, where no other opens: format, policy, truncated or runtime.
[[nodiscard]] OpenedSlot open_key_slot(const LuksHeader& header, const VolumeBytes& bytes, Bytes passphrase,
                                       const KeySlotChoice& choice);

}  // namespace phalanx
