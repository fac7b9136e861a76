// The header of a container (docs/format.md) has a fixed part (magic, version, suite), the size of the records, records of
// wrapped keys, and a MAC. Behind it stands one message of chunked encryption under the data key, which does not depend on
// the records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/chunked/suite.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/binding.hpp"
#include "files/container/format/fixed_part.hpp"
#include "files/container/format/recipient.hpp"

namespace phalanx {

inline constexpr std::size_t header_start_bytes = 12;  ///< size of the fixed part and of the size of the records
inline constexpr std::size_t header_mac_bytes = 64;
inline constexpr std::size_t max_header_bytes = header_start_bytes + 0xffff + header_mac_bytes;

/// Returns the size of the whole header, from a file's first header_start_bytes, or from all of a shorter file. A reader
/// reads that many bytes, and then up to this size. Throws Error: format if it is no container of a known version and suite,
/// truncated if it is one and too short.
[[nodiscard]] std::size_t header_bytes(Bytes beginning);

struct ContainerHeader {
  std::uint8_t version = unbound_version;
  const Suite* suite = nullptr;
  BindingRecord binding;                 ///< stands before the wrapped keys, in version 2
  std::vector<WrappedKey> wrapped_keys;  ///< 1 at least, in the header's order
  std::vector<std::uint8_t> bytes;       ///< the whole header, MAC included

  [[nodiscard]] FixedPart fixed_part() const { return {version, suite}; }
};

/// Reads a header from a file's beginning, of which it takes header_bytes() bytes. Throws as header_bytes does, and Error
/// (format) if it is malformed. Nothing in it is authentic yet.
[[nodiscard]] ContainerHeader parse_header(Bytes beginning);

/// Makes a header with these records, 1 wrapped key at least, and its MAC under the data key. A header of version 2 has a
/// binding.
[[nodiscard]] ContainerHeader make_header(const FixedPart& fixed_part, std::vector<WrappedKey> wrapped_keys, Bytes data_key,
                                          const BindingRecord& binding = {});

/// Returns a new random data key.
[[nodiscard]] SecretBytes random_data_key(const Suite& suite);

struct NewHeader {
  ContainerHeader header;
  SecretBytes data_key;
};

/// Makes the header of a new container for all the recipients, 1 at least. Random bytes are drawn for the data key, and then
/// for the name's salt where there is a name. Then they are drawn for each recipient in turn, for scrypt's salt and the
/// wrap's. Throws as wrap_data_key and make_binding_record do.
[[nodiscard]] NewHeader make_new_header(const Suite& suite, std::span<const Recipient> recipients,
                                        const Binding& binding = {});

/// Returns the size of the header that make_new_header would make. Throws Error as check_recipient does, and usage without a
/// recipient.
[[nodiscard]] std::size_t new_header_bytes(const Suite& suite, std::span<const Recipient> recipients,
                                           const Binding& binding = {});

/// Returns the cipher of a new body behind this header.
[[nodiscard]] ChunkedCipher begin_body(const ContainerHeader& header, Bytes data_key, Bytes context,
                                       const EngineOptions& options);

/// Returns the cipher of the body with this prefix. Throws Error (wrong_key) where its commitment is not that of the data
/// key and this context.
[[nodiscard]] ChunkedCipher open_body(const ContainerHeader& header, Bytes data_key, const MessagePrefix& prefix,
                                      Bytes context, const EngineOptions& options);

/// This is a container whose data key is known.
struct UnlockedContainer {
  ContainerHeader header;
  SecretBytes data_key;
  bool settled =
      false;  ///< the file has just got what a killed rewrite had left undone (files/container/file/header_rewrite.hpp)
};

/// Throws Error (authentication) if the header's MAC does not verify under this data key.
void require_mac(const ContainerHeader& header, Bytes data_key);

struct OpenedHeader {
  SecretBytes data_key;
  std::size_t wrapped_key = 0;  ///< the index of the record that opened
  std::size_t identity = 0;     ///< the index of the identity that opened it
};

/// Opens the data key by the first record that opens for any of the identities, and verifies the header's MAC and the
/// binding's name. Keys are tried first, since passphrases take long, and public keys come between. Public keys that the
/// library knows itself come before calls of the caller. If a call of the caller throws, that is thrown if nothing else
/// opens.
///
/// Passphrases are tried on the cheapest records first. They are tried on those alone whose scrypt_bytes, each and summed
/// from the cheapest on, are within the limits. So no record can keep one that costs less from being tried.
///
/// Throws as require_fitting does before anything is tried, as require_same_name does, and Error with these codes:
/// - wrong_key: no record opens
/// - authentication: the MAC or a wrapped key was changed
/// - policy: no record opens, and a passphrase was not tried because of its cost
/// - usage: a key does not have the suite's length
[[nodiscard]] OpenedHeader open_header(const ContainerHeader& header, std::span<const Identity> identities,
                                       const CostLimits& limits = {}, const Binding& binding = {},
                                       const BindingNames& names = {});

}  // namespace phalanx
