// Files by parquet-java, which seals zeros behind each structure: kept in tests/vectors/parquet_java, and one that is made.
#include <gtest/gtest.h>

#include <algorithm>
#include <phalanx/parquet/modular_encryption.hpp>
#include <string>

#include "encrypted_footer.hpp"
#include "parquet/footer.hpp"
#include "parquet/module_facts.hpp"
#include "temporary_folder.hpp"
#include "vector_file.hpp"

namespace phalanx::test {
namespace {

// As tests/vectors/README.md has the keys of these files.
Buffer java_key(char first_digit, char last) {
  Buffer key(32);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>('0' + (first_digit - '0' + i) % 10);
  if (last != 0) key.back() = static_cast<std::uint8_t>(last);
  return key;
}

Secret find_java_key(const ParquetKeyRequest& request) {
  const std::string id(request.key_metadata.begin(), request.key_metadata.end());
  if (request.is_footer) {
    EXPECT_EQ(id, "kf");
    return Secret(java_key('0', 0));
  }
  EXPECT_TRUE(id.starts_with("kc")) << id;
  return Secret(java_key('1', static_cast<char>(id.back() + 1)));
}

Buffer java_file(const std::string& name) {
  return read_file((vectors_folder() / "parquet_java" / (name + ".parquet.encrypted")).string());
}

struct Opened {
  Buffer plain{};
  DecryptedParquet found{};
};

Opened open(const Buffer& file, const ParquetKeyFinder& keys = find_java_key) {
  Opened opened;
  opened.found = decrypt_parquet(file, opened.plain, keys);
  return opened;
}

// The three hold the same table in the same pages.
TEST(ParquetOfJava, IsDecrypted) {
  const Opened uniform = open(java_file("uniform_encryption"));
  EXPECT_TRUE(uniform.found.verified);
  EXPECT_EQ(uniform.found.num_pages, 9U);
  EXPECT_EQ(uniform.found.num_authentic_pages, 9U);
  EXPECT_FALSE(uniform.found.had_plaintext_footer);

  const Opened is_signed = open(java_file("encrypt_columns_plaintext_footer"));
  EXPECT_TRUE(is_signed.found.verified);
  EXPECT_TRUE(is_signed.found.had_plaintext_footer);
  EXPECT_EQ(is_signed.plain, uniform.plain);

  const Opened by_ctr = open(java_file("encrypt_columns_and_footer_ctr"));
  EXPECT_FALSE(by_ctr.found.verified);
  EXPECT_EQ(by_ctr.found.algorithm, ParquetAlgorithm::aes_gcm_ctr_v1);
  EXPECT_EQ(by_ctr.found.num_pages, 9U);
  EXPECT_EQ(by_ctr.found.num_authentic_pages, 0U);
  EXPECT_EQ(by_ctr.plain, uniform.plain);

  Buffer again;
  static_cast<void>(encrypt_parquet(uniform.plain, again, ParquetKey(java_key('0', 0))));
  const Opened back = open(again, [](const ParquetKeyRequest&) { return Secret(java_key('0', 0)); });
  EXPECT_EQ(back.plain, uniform.plain);
}

// The key's id is not encrypted: who finds keys by it tells that it was changed.
TEST(ParquetOfJava, EachChangedByteIsTold) {
  const Buffer file = java_file("uniform_encryption");
  const auto keys = [](const ParquetKeyRequest& request) {
    if (!std::ranges::equal(request.key_metadata, bytes_of("kf"))) throw Error(ErrorCode::wrong_key, "no such key");
    return Secret(java_key('0', 0));
  };
  EXPECT_TRUE(open(file, keys).found.verified);
  for (std::size_t i = 0; i < file.size(); ++i) {
    Buffer changed = file;
    changed[i] ^= 0x10;
    EXPECT_THROW(static_cast<void>(open(changed, keys)), Error) << i;
  }
}

// The module that begins there.
Buffer module_at(const EncryptedFooter& footer, std::int64_t offset) {
  const Bytes from = Bytes(footer.body).subspan(static_cast<std::size_t>(offset));
  const Bytes module = from.first(module_length_bytes + load_u32(from.data()));
  return {module.begin(), module.end()};
}

FilePart append(EncryptedFooter& footer, const Buffer& module) {
  footer.body.insert(footer.body.end(), module.begin(), module.end());
  return {footer.body.size() - module.size(), module.size()};
}

// Seals a structure of the file again with zeros behind it, at the end of the body.
FilePart append_padded(EncryptedFooter& footer, const ParquetModules& modules, ParquetModule module, std::int64_t offset) {
  Buffer sealed = module_at(footer, offset);
  ParquetModuleToOpen opened{.place = {.module = module}, .module = sealed};
  EXPECT_TRUE(modules.open_batch({&opened, 1}));
  Buffer plain(opened.plain.begin(), opened.plain.end());
  plain.resize(plain.size() + 100);
  Buffer padded(modules.sealed_bytes(module, plain.size()));
  const ParquetModuleToSeal to_seal{.place = {.module = module}, .plain = plain, .module = padded};
  modules.seal_batch({&to_seal, 1});
  return append(footer, padded);
}

void move_bloom_filter(EncryptedFooter& footer, const ParquetModules& modules, CompactStruct& chunk) {
  const CompactStruct before = chunk.structure(column_chunk::meta_data).value();
  const std::int64_t from = before.integer(column_metadata::bloom_filter_offset).value();
  const auto header_bytes = static_cast<std::int64_t>(module_at(footer, from).size());
  const FilePart header = append_padded(footer, modules, ParquetModule::bloom_filter_header, from);
  append(footer, module_at(footer, from + header_bytes));
  CompactStruct metadata = before;
  metadata.set_integer(column_metadata::bloom_filter_offset, CompactType::i64, static_cast<std::int64_t>(header.offset));
  chunk.set_structure(column_chunk::meta_data, metadata);
}

void move_index(EncryptedFooter& footer, const ParquetModules& modules, CompactStruct& chunk, ParquetModule module,
                int offset_field, int length_field) {
  const FilePart to = append_padded(footer, modules, module, chunk.integer(offset_field).value());
  chunk.set_integer(offset_field, CompactType::i64, static_cast<std::int64_t>(to.offset));
  chunk.set_integer(length_field, CompactType::i32, static_cast<std::int64_t>(to.num_bytes));
}

// The first column's Bloom filter and indexes, and the footer, get zeros behind them: the plain file has none.
TEST(ParquetOfJava, ZerosBehindStructuresAreLeftOut) {
  const Buffer plain = read_file((vectors_folder() / "parquet" / "plain.parquet").string());
  const Buffer key = java_key('0', 0);
  Buffer file;
  static_cast<void>(encrypt_parquet(plain, file, ParquetKey(key)));
  EncryptedFooter footer(file);
  const ParquetModules modules = footer.modules(key);
  Buffer sealed = footer.module;
  ParquetModuleToOpen opened{.place = {}, .module = sealed};
  ASSERT_TRUE(modules.open_batch({&opened, 1}));

  CompactStruct metadata = CompactStruct::read_all(opened.plain);
  const std::vector<Bytes> groups = metadata.structures(file_metadata::row_groups).value();
  CompactStruct group = CompactStruct::read_all(groups[0]);
  const std::vector<Bytes> columns = group.structures(row_group::columns).value();
  CompactStruct chunk = CompactStruct::read_all(columns[0]);
  move_bloom_filter(footer, modules, chunk);
  move_index(footer, modules, chunk, ParquetModule::column_index, column_chunk::column_index_offset,
             column_chunk::column_index_length);
  move_index(footer, modules, chunk, ParquetModule::offset_index, column_chunk::offset_index_offset,
             column_chunk::offset_index_length);
  const auto buffers = [](const std::vector<Bytes>& from, const Buffer& first) {
    std::vector<Buffer> all{first};
    std::transform(from.begin() + 1, from.end(), std::back_inserter(all),
                   [](Bytes bytes) { return Buffer(bytes.begin(), bytes.end()); });
    return all;
  };
  group.set_structures(row_group::columns, buffers(columns, chunk.bytes()));
  metadata.set_structures(file_metadata::row_groups, buffers(groups, group.bytes()));

  Buffer changed = metadata.bytes();
  changed.resize(changed.size() + 1000);
  footer.module.resize(modules.sealed_bytes(ParquetModule::footer, changed.size()));
  const ParquetModuleToSeal to_seal{.place = {}, .plain = changed, .module = footer.module};
  modules.seal_batch({&to_seal, 1});
  const Opened back = open(footer.file(), [&](const ParquetKeyRequest&) { return Secret(key); });
  EXPECT_TRUE(back.found.verified);
  EXPECT_EQ(back.plain, plain);
}

// Nobody looks into a column index when it is encrypted, so one of any bytes comes back.
TEST(ParquetOfJava, AColumnIndexOfAnyBytesComesBack) {
  Buffer plain = read_file((vectors_folder() / "parquet" / "plain.parquet").string());
  const std::size_t footer_bytes = load_u32(plain.data() + plain.size() - 8);
  const CompactStruct metadata = CompactStruct::read(Bytes(plain).last(8 + footer_bytes));
  const CompactStruct group = CompactStruct::read_all(metadata.structures(file_metadata::row_groups).value()[0]);
  const CompactStruct chunk = CompactStruct::read_all(group.structures(row_group::columns).value()[0]);
  const std::int64_t offset = chunk.integer(column_chunk::column_index_offset).value();
  std::fill_n(plain.begin() + offset, chunk.integer(column_chunk::column_index_length).value(), std::uint8_t{0xff});
  const Buffer key = java_key('0', 0);
  Buffer file;
  static_cast<void>(encrypt_parquet(plain, file, ParquetKey(key)));
  EXPECT_EQ(open(file, [&](const ParquetKeyRequest&) { return Secret(key); }).plain, plain);
}

}  // namespace
}  // namespace phalanx::test
