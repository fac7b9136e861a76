// The header of a container, docs/format.md: fixed part (magic, version, suite), size of the records, records of wrapped
// keys, MAC. Behind it stands one message of chunked encryption under the data key, which does not depend on the records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "container/format/recipient.hpp"
#include "container/format/suite.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t fixed_part_bytes = 10;
inline constexpr std::size_t header_start_bytes = 12;  ///< the fixed part and the size of the records
inline constexpr std::size_t header_mac_bytes = 64;
inline constexpr std::size_t max_header_bytes = header_start_bytes + 0xffff + header_mac_bytes;
inline constexpr std::uint8_t container_version = 1;

/// The fixed part followed by a label: the context or salt by which everything that is derived in a container is told apart.
[[nodiscard]] std::vector<std::uint8_t> labelled_fixed_part(const Suite& suite, std::string_view label);

/// The context of the body's chunks: labelled_fixed_part(suite, "body").
[[nodiscard]] std::vector<std::uint8_t> body_context(const Suite& suite);

/// True if the bytes, the beginning of a file, begin with the magic of a container (all of it).
[[nodiscard]] bool is_container(Bytes beginning);

/// The size of the whole header, from a file's first header_start_bytes, or all of it if it is shorter: read that many, and
/// then up to this size. Throws Error: format if it is no container of a version and suite that we know, truncated if it is
/// one and too short.
[[nodiscard]] std::size_t header_bytes(Bytes beginning);

struct ContainerHeader {
  const Suite* suite = nullptr;
  std::vector<WrappedKey> wrapped_keys;  ///< 1 at least, in the header's order
  std::vector<std::uint8_t> bytes;       ///< all of it, MAC included
};

/// Reads a header from a file's beginning, of which it takes header_bytes(). Throws as header_bytes does, and Error (format)
/// if it is malformed. Nothing in it is authentic yet.
[[nodiscard]] ContainerHeader parse_header(Bytes beginning);

/// A header with these records, 1 at least, and its MAC under the data key.
[[nodiscard]] ContainerHeader make_header(const Suite& suite, std::vector<WrappedKey> wrapped_keys, Bytes data_key);

/// A new random data key.
[[nodiscard]] SecretBytes random_data_key(const Suite& suite);

struct NewHeader {
  ContainerHeader header;
  SecretBytes data_key;
};

/// The header of a new container for all the recipients, 1 at least. Random bytes are drawn for the data key, and then for
/// each recipient in turn for scrypt's salt and the wrap's. Throws as wrap_data_key does.
[[nodiscard]] NewHeader make_new_header(const Suite& suite, std::span<const Recipient> recipients);

/// The size of the header that make_new_header would make.
[[nodiscard]] std::size_t new_header_bytes(const Suite& suite, std::span<const Recipient> recipients);

/// A container whose data key is known.
struct UnlockedContainer {
  ContainerHeader header;
  SecretBytes data_key;
};

struct OpenedHeader {
  SecretBytes data_key;
  std::size_t wrapped_key = 0;  ///< the index of the record that opened
  std::size_t identity = 0;     ///< the index of who opened it
};

/// The data key, by the first record that opens for any of the identities (keys first, since passphrases take long), once
/// the header's MAC is verified. Throws Error: wrong_key if none opens, authentication if the MAC or a wrapped key was
/// changed, policy if none opens and a passphrase was not tried because of its cost, usage for a key not of the suite's
/// length. Passphrases are tried on the cheapest records first, and on those alone whose scrypt_bytes, each and summed from
/// the cheapest on, are within the limits: so no record can keep one that costs less from being tried.
[[nodiscard]] OpenedHeader open_header(const ContainerHeader& header, std::span<const Identity> identities,
                                       const CostLimits& limits = {});

}  // namespace phalanx
