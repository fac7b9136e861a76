// scrypt takes most of a second for each key. So the keys that it derives from a passphrase are kept beside the passphrase,
// and are wiped with it. A run over many containers seals all of them under one salt, and derives the key of each salt once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <phalanx/files/container.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/fixed_part.hpp"

namespace phalanx {

inline constexpr std::size_t scrypt_salt_bytes = 16;
using ScryptSalt = std::array<std::uint8_t, scrypt_salt_bytes>;

/// Says what scrypt is asked for beside the passphrase.
struct ScryptRequest {
  FixedPart fixed_part;
  ScryptSalt salt{};
  ScryptCost cost{};
};

/// Two requests for one thing have the same.
using RequestId = std::string;
[[nodiscard]] RequestId id_of(const ScryptRequest& request);

/// A key stays as long as anybody has it, though it may not be kept any longer.
using DerivedKey = std::shared_ptr<const SecretBytes>;

/// Returns the input key of the wraps in records of this salt and cost, whether they are this passphrase's or not. Threads
/// that want one key at once wait for one derivation. A child that was forked derives by itself. Throws as derive_scrypt
/// does.
[[nodiscard]] DerivedKey opening_key(const SharedSecret& passphrase, const ScryptRequest& request);

struct SealingKey {
  ScryptSalt salt{};
  DerivedKey key;
};

/// Returns the input key of new wraps, and its salt. All calls for one fixed part and cost return the same: a salt that
/// trust_salt knows, else a new one. Its derivation is another than that of opening_key. So what is read back shows whether
/// the key was computed rightly. Throws as derive_scrypt does.
[[nodiscard]] SealingKey sealing_key(const SharedSecret& passphrase, const FixedPart& fixed_part, const ScryptCost& cost);

/// Says whether sealing_key would derive nothing.
[[nodiscard]] bool has_sealing_key(const SharedSecret& passphrase, const FixedPart& fixed_part, const ScryptCost& cost);

/// Takes the salt for sealing too, where opening_key has derived its key and no salt is known yet. A record with this salt
/// has opened, and the MAC of its header was verified. Without both, the salt may be one that somebody has planted.
void trust_salt(const SharedSecret& passphrase, const ScryptRequest& request);

}  // namespace phalanx
