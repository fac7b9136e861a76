// The end of a Parquet file shows which of three kinds it is, and what it says of keys (Parquet Modular Encryption,
// sections 5.2, 5.4 and 5.5).
#pragma once

#include <optional>

#include "parquet/file_keys.hpp"
#include "parquet/file_parts.hpp"

namespace phalanx {

// The ids of fields that are read or changed, as parquet.thrift gives them.
namespace file_metadata {
inline constexpr int row_groups = 4, encryption_algorithm = 8, footer_signing_key_metadata = 9;
}
namespace row_group {
inline constexpr int columns = 1, total_byte_size = 2, file_offset = 5, total_compressed_size = 6, ordinal = 7;
}
namespace column_chunk {
inline constexpr int file_path = 1, file_offset = 2, meta_data = 3, offset_index_offset = 4, offset_index_length = 5,
                     column_index_offset = 6, column_index_length = 7, crypto_metadata = 8, encrypted_column_metadata = 9;
}
namespace column_metadata {
inline constexpr int path_in_schema = 3, codec = 4, total_uncompressed_size = 6, total_compressed_size = 7,
                     data_page_offset = 9, index_page_offset = 10, dictionary_page_offset = 11, statistics = 12,
                     encoding_stats = 13, bloom_filter_offset = 14, bloom_filter_length = 15, size_statistics = 16,
                     geospatial_statistics = 17;
inline constexpr int uncompressed = 0;  // CompressionCodec
}  // namespace column_metadata
namespace crypto_metadata {  // ColumnCryptoMetaData, and EncryptionWithColumnKey in it
inline constexpr int with_footer_key = 1, with_column_key = 2, path_in_schema = 1, key_metadata = 2;
}
namespace page_header {
inline constexpr int type = 1, uncompressed_page_size = 2, compressed_page_size = 3, crc = 4;
inline constexpr int data_page = 0, dictionary_page = 2, data_page_v2 = 3;  // PageType
}  // namespace page_header
namespace offset_index {  // and PageLocation in it
inline constexpr int page_locations = 1, offset = 1, compressed_page_size = 2;
}
namespace bloom_filter_header {
inline constexpr int num_bytes = 1;
}

enum class FooterKind : std::uint8_t { plain, encrypted, signed_plaintext };

/// As it was read; nothing of it is authentic yet.
struct Footer {
  FooterKind kind = FooterKind::plain;
  FileCrypto crypto{};
  bool wants_aad_prefix = false;  ///< the file does not have it
  Buffer key_metadata{};          ///< of the footer's key
  Buffer metadata{};              ///< FileMetaData; of an encrypted footer the module in which it is
  Buffer signature{};             ///< of a signed footer
};

/// Throws Error: format or truncated for what is no Parquet file.
[[nodiscard]] Footer read_footer(PartSource& source);

/// "PARE" in a file with an encrypted footer, else "PAR1".
[[nodiscard]] Bytes magic_of(FooterKind kind);

/// A file is written with this encryption, and with a footer of this kind.
struct CryptoToWrite {
  FileCrypto crypto{};
  bool store_aad_prefix = true;
  FooterKind kind = FooterKind::encrypted;
};

/// Writes the footer and what follows it; `key` seals or signs it, and is nullptr for a plain one.
void write_footer(CompactStruct metadata, const CryptoToWrite& how, SealingKey* key, PartSink& sink);

}  // namespace phalanx
