// This derives keys from passphrases as OpenPGP does (RFC 9580, section 3.7).
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/openpgp/packets/packet_fields.hpp"

namespace phalanx {

struct StringToKey {
  enum class Kind : unsigned char { simple = 0, salted = 1, iterated = 3, argon2 = 4 };

  Kind kind = Kind::simple;
  unsigned digest = 0;  ///< its number
  std::vector<std::uint8_t> salt{};
  std::uint64_t num_hashed_bytes = 0;                            ///< of the iterated kind
  std::uint32_t num_passes = 0, num_lanes = 0, memory_log2 = 0;  ///< of Argon2
};

/// Takes the specifier from the fields of a packet. Throws Error (format), which names a kind that is not read.
[[nodiscard]] StringToKey take_string_to_key(PacketFields& fields);

/// Derives a key of so many bytes. Throws Error: format, for a digest that is not known or a cost that is too high; as
/// derive_argon2 and NamedDigest do.
[[nodiscard]] SecretBytes derive_key(const StringToKey& specifier, Bytes passphrase, std::size_t key_bytes);

}  // namespace phalanx
