// Plain Parquet files of any size, made of random pages: nothing here looks into a page.
#pragma once

#include <cstring>
#include <functional>
#include <phalanx/parquet/modular_encryption.hpp>
#include <string>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "parquet/compact_protocol.hpp"
#include "parquet/footer.hpp"

namespace phalanx::test {

struct MadeColumn {
  std::string path{};
  std::vector<std::size_t> page_bytes{};
  bool has_dictionary = false;  ///< its first page is one
};

class MadeParquet {
 public:
  /// Fills a page with what it is to hold.
  using Fill = std::function<void(MutableBytes page)>;

  explicit MadeParquet(Fill fill) : fill_(std::move(fill)), bytes_(bytes_of("PAR1").begin(), bytes_of("PAR1").end()) {}

  void reserve(std::size_t num_bytes) { bytes_.reserve(num_bytes); }

  void add_row_group(const std::vector<MadeColumn>& columns) {
    std::vector<Buffer> chunks;
    for (const MadeColumn& column : columns) chunks.push_back(add_chunk(column));
    CompactStruct group;
    group.set_structures(row_group::columns, chunks);
    group.set_integer(row_group::total_byte_size, CompactType::i64, 0);
    row_groups_.push_back(group.bytes());
  }

  /// The whole file; nothing can be added then.
  Buffer finish() {
    CompactStruct metadata;
    metadata.set_structures(file_metadata::row_groups, row_groups_);
    const Buffer footer = metadata.bytes();
    append(footer);
    std::uint8_t length[4];
    store_u32(length, static_cast<std::uint32_t>(footer.size()));
    append(length);
    append(bytes_of("PAR1"));
    return std::move(bytes_);
  }

 private:
  void append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  void add_page(std::size_t num_bytes, bool is_dictionary) {
    CompactStruct header;
    header.set_integer(page_header::type, CompactType::i32,
                       is_dictionary ? page_header::dictionary_page : page_header::data_page);
    for (const int id : {page_header::uncompressed_page_size, page_header::compressed_page_size})
      header.set_integer(id, CompactType::i32, static_cast<std::int64_t>(num_bytes));
    append(header.bytes());
    bytes_.resize(bytes_.size() + num_bytes);
    fill_(MutableBytes(bytes_).last(num_bytes));
  }

  Buffer add_chunk(const MadeColumn& column) {
    const std::size_t begin = bytes_.size();
    std::size_t first_data_page = 0;
    for (std::size_t i = 0; i < column.page_bytes.size(); ++i) {
      const bool is_dictionary = i == 0 && column.has_dictionary;
      if (!is_dictionary && first_data_page == 0) first_data_page = bytes_.size();
      add_page(column.page_bytes[i], is_dictionary);
    }
    const auto put = [](CompactStruct& structure, int id, std::size_t value) {
      structure.set_integer(id, CompactType::i64, static_cast<std::int64_t>(value));
    };
    CompactStruct metadata, chunk;
    metadata.set_texts(column_metadata::path_in_schema, {column.path});
    put(metadata, column_metadata::total_uncompressed_size, bytes_.size() - begin);
    put(metadata, column_metadata::total_compressed_size, bytes_.size() - begin);
    put(metadata, column_metadata::data_page_offset, first_data_page);
    if (column.has_dictionary) put(metadata, column_metadata::dictionary_page_offset, begin);
    put(chunk, column_chunk::file_offset, 0);
    chunk.set_structure(column_chunk::meta_data, metadata);
    return chunk.bytes();
  }

  Fill fill_;
  Buffer bytes_;
  std::vector<Buffer> row_groups_;
};

}  // namespace phalanx::test
