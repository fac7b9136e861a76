// Modules are serialized as in Parquet Modular Encryption, section 5.1.
#pragma once

#include <cstddef>
#include <phalanx/parquet/modular_encryption.hpp>

#include "parquet/compact_protocol.hpp"

namespace phalanx {

inline constexpr std::size_t module_length_bytes = 4;
inline constexpr std::size_t module_nonce_bytes = 12;
inline constexpr std::size_t module_tag_bytes = 16;
inline constexpr std::size_t ctr_module_added_bytes = module_length_bytes + module_nonce_bytes;
inline constexpr std::size_t gcm_module_added_bytes = ctr_module_added_bytes + module_tag_bytes;

/// Section 4.4.2: ordinals are numbers of 2 bytes, of which Apache's libraries take those that are not negative.
inline constexpr unsigned most_ordinal = 32767;

/// All row groups together have at most so many column chunks. Some hundred bytes of each are kept in memory until the
/// footer is written.
inline constexpr std::size_t most_chunks = std::size_t{1} << 22;

/// No page header is longer; Apache's readers have the same limit.
inline constexpr std::size_t most_header_bytes = std::size_t{16} << 20;

/// A footer is signed by a nonce and a tag (section 5.5).
inline constexpr std::size_t footer_signature_bytes = module_nonce_bytes + module_tag_bytes;

/// Appends the module's AAD, of which the prefix and the file's own part are `base`. Throws Error (usage) for a number that
/// no encrypted file has.
void append_aad(Buffer& out, Bytes base, const ParquetPlace& place);

/// Throws Error (usage) for a size that no key of AES has.
void require_key_bytes(std::size_t num_bytes);

}  // namespace phalanx
