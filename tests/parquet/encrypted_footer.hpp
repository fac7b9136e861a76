// An encrypted Parquet file whose footer is encrypted too, taken apart, so that a test puts it together otherwise.
#pragma once

#include <phalanx/parquet/modular_encryption.hpp>

#include "engine/bytes/byte_order.hpp"
#include "parquet/compact_protocol.hpp"

namespace phalanx::test {

struct EncryptedFooter {
  Buffer body{};    ///< all before the footer
  Buffer clear{};   ///< FileCryptoMetaData
  Buffer module{};  ///< FileMetaData

  explicit EncryptedFooter(const Buffer& file) {
    const std::size_t num_bytes = load_u32(file.data() + file.size() - 8);
    const Bytes all(file), footer = all.subspan(all.size() - 8 - num_bytes, num_bytes);
    const std::size_t clear_bytes = CompactStruct::read(footer).num_bytes();
    body.assign(all.begin(), all.end() - 8 - static_cast<std::ptrdiff_t>(num_bytes));
    clear.assign(footer.begin(), footer.begin() + static_cast<std::ptrdiff_t>(clear_bytes));
    module.assign(footer.begin() + static_cast<std::ptrdiff_t>(clear_bytes), footer.end());
  }

  /// Of a file by GCM, without an AAD prefix.
  [[nodiscard]] ParquetModules modules(Bytes key) const {
    constexpr int encryption_algorithm = 1, aes_gcm_v1 = 1, aad_file_unique = 2;
    const CompactStruct crypto = CompactStruct::read(clear);
    const CompactStruct algorithm = crypto.structure(encryption_algorithm).value();
    const CompactStruct facts = algorithm.structure(aes_gcm_v1).value();
    return {ParquetAlgorithm::aes_gcm_v1, key, {}, facts.binary(aad_file_unique).value()};
  }

  [[nodiscard]] Buffer file() const {
    Buffer all = body;
    all.insert(all.end(), clear.begin(), clear.end());
    all.insert(all.end(), module.begin(), module.end());
    std::uint8_t length[4];
    store_u32(length, static_cast<std::uint32_t>(clear.size() + module.size()));
    all.insert(all.end(), std::begin(length), std::end(length));
    const Bytes magic = bytes_of("PARE");
    all.insert(all.end(), magic.begin(), magic.end());
    return all;
  }
};

}  // namespace phalanx::test
