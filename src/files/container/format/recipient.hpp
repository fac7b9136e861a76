// The wrapped keys in a container's header are its data key, sealed for each recipient (docs/format.md, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/chunked/suite.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/fixed_part.hpp"

namespace phalanx {

/// This is one record of the header as it stands there. Unknown kinds are kept and skipped.
struct WrappedKey {
  std::uint8_t kind = 0;           ///< a KeyKind, or unknown
  std::vector<std::uint8_t> data;  ///< the bytes behind the record's kind and length

  [[nodiscard]] bool is(KeyKind wanted) const { return kind == static_cast<std::uint8_t>(wanted); }
};

inline constexpr std::size_t max_passphrases = 16;  ///< in one header: each costs a reader up to max_scrypt_bytes
inline constexpr std::uint64_t min_scrypt_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_scrypt_bytes = std::uint64_t{1} << 30;  ///< for what is written

/// Returns the size of WrappedKey::data of a kind. For a public key it is that of a key that the library knows itself.
[[nodiscard]] std::size_t wrapped_key_bytes(const Suite& suite, KeyKind kind);

/// Computes 128 * N * r * p: the memory for one of p lanes, times p.
[[nodiscard]] std::uint64_t scrypt_bytes(const ScryptCost& cost);

/// "1 GiB", "64 MiB"
[[nodiscard]] std::string mebibytes_of(std::uint64_t num_bytes);

/// Throws Error (policy) outside min_scrypt_bytes and max_scrypt_bytes, or where RFC 7914 has no such parameters.
void check_new_scrypt_cost(const ScryptCost& cost);

/// Throws Error (format) if a record of a known kind has a wrong length, or scrypt parameters that RFC 7914 does not have.
void check_wrapped_key(const Suite& suite, const WrappedKey& wrapped);

/// Returns the cost that a record of kind passphrase names.
[[nodiscard]] ScryptCost scrypt_cost_of(const WrappedKey& wrapped);

/// Returns the identity of what a record of kind passphrase asks scrypt for. Records that ask a passphrase for the same take
/// one derivation.
[[nodiscard]] std::string scrypt_request_id(const FixedPart& fixed_part, const WrappedKey& wrapped);

/// Checks a recipient, and asks no call of the caller. Throws Error: usage for a key of another length than the suite's, an
/// empty passphrase, or a text that is no public key; policy for a passphrase's cost.
void check_recipient(const Suite& suite, const Recipient& recipient);

/// Seals the data key for a recipient, with a new salt for the wrap. A passphrase's records share scrypt's salt, as
/// sealing_key has it. Throws as check_recipient and make_public_key_record do.
[[nodiscard]] WrappedKey wrap_data_key(const FixedPart& fixed_part, const Recipient& recipient, Bytes data_key);

/// Seals the data key for all recipients. Throws as wrap_data_key and check_labels_of do.
[[nodiscard]] std::vector<WrappedKey> wrap_for_all(const FixedPart& fixed_part, std::span<const Recipient> recipients,
                                                   Bytes data_key);

/// Throws Error (policy) where the labels of public keys forbid that all these stand together, and none of those that were
/// added last allows it.
void check_labels_of(const Suite& suite, std::span<const WrappedKey> wrapped_keys, std::span<const Recipient> added);

/// Return the identities that open what is sealed for these recipients. Public keys have none.
[[nodiscard]] inline Identity identity_of(const Recipient& recipient) { return {recipient.kind, recipient.secret}; }
[[nodiscard]] std::vector<Identity> identities_of(std::span<const Recipient> recipients);

/// Opens the data key, or returns nothing if the record is not this identity's (another kind, key or passphrase). Throws
/// Error with these codes:
/// - policy, before anything is computed: the cost is above most_scrypt_bytes
/// - authentication: the record is this identity's and was changed
/// - usage: a key has another length than the suite's
[[nodiscard]] std::optional<SecretBytes> unwrap_data_key(const FixedPart& fixed_part, const WrappedKey& wrapped,
                                                         const Identity& identity,
                                                         std::uint64_t most_scrypt_bytes = max_scrypt_bytes);

/// Lets new records of a passphrase have scrypt's salt of this record. unwrap_data_key has opened it for the identity, and
/// the MAC of its header was verified. Without both, somebody may have planted the salt.
void trust_salt_of(const FixedPart& fixed_part, const WrappedKey& wrapped, const Identity& identity);

/// Says whether the record is this identity's, as far as it can tell. It returns false where a passphrase costs more than
/// one may, where a key has another length than the suite's, or where the record was changed.
[[nodiscard]] bool is_opened_by(const FixedPart& fixed_part, const WrappedKey& wrapped, const Identity& identity,
                                const CostLimits& limits);

}  // namespace phalanx
