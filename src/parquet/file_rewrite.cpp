#include "parquet/file_rewrite.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/bytes/byte_order.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

std::int64_t required(const CompactStruct& structure, int id, const char* what) {
  const std::optional<std::int64_t> value = structure.integer(id);
  if (!value) fail_parquet(std::string("a column chunk does not say ") + what);
  return *value;
}

void move_field(CompactStruct& structure, int id, CompactType type, const FilePart& from, const FilePart& to) {
  const std::optional<std::int64_t> offset = structure.integer(id);
  if (!offset || *offset <= 0) return;
  const auto before = static_cast<std::uint64_t>(*offset);
  if (before < from.offset || before >= from.end()) fail_parquet("a page lies outside of its column chunk");
  structure.set_integer(id, type, static_cast<std::int64_t>(before - from.offset + to.offset));
}

// Cuts off the bytes behind a structure. Nobody looks into a column index before it is encrypted, so it may be no
// structure. Then it stays as it is.
Buffer structure_or_all(Buffer bytes) {
  try {
    bytes.resize(CompactStruct::read(bytes).num_bytes());
  } catch (const Error&) {
    return bytes;
  }
  return bytes;
}

}  // namespace

std::string path_of(const CompactStruct& structure, int id) {
  const std::optional<std::vector<std::string>> parts = structure.texts(id);
  if (!parts || parts->empty()) fail_parquet("a column has no path");
  std::string path = parts->front();
  for (std::size_t i = 1; i < parts->size(); ++i) path += '.' + (*parts)[i];
  return path;
}

void FileRewrite::list_chunks() {
  constexpr std::uint64_t most = most_ordinal + 1;
  const std::optional<std::vector<Bytes>> row_groups = metadata_.structures(file_metadata::row_groups, most, "row groups");
  if (!row_groups) fail_parquet("its footer has no list of row groups");
  row_groups_.reserve(row_groups->size());
  std::vector<std::vector<Bytes>> columns;
  std::size_t num_chunks = 0;
  for (const Bytes bytes : *row_groups) {
    const CompactStruct& group = row_groups_.emplace_back(CompactStruct::read_all(bytes));
    columns.push_back(group.structures(row_group::columns, most, "columns in a row group").value_or(std::vector<Bytes>()));
    num_columns_.push_back(columns.back().size());
    num_chunks += columns.back().size();
    if (num_chunks > most_chunks) fail_parquet("it has more than " + std::to_string(most_chunks) + " column chunks");
  }
  chunks_.reserve(num_chunks);
  for (std::size_t number = 0; number < columns.size(); ++number) list_columns(number, columns[number]);
}

void FileRewrite::list_columns(std::size_t group, const std::vector<Bytes>& columns) {
  const std::int64_t ordinal = row_groups_[group].integer(row_group::ordinal).value_or(static_cast<std::int64_t>(group));
  if (ordinal < 0 || ordinal > most_ordinal) fail_parquet("a row group has no possible number");
  for (std::size_t column = 0; column < columns.size(); ++column) {
    Chunk& chunk = chunks_.emplace_back();
    chunk.row_group = static_cast<unsigned>(ordinal);
    chunk.column = static_cast<unsigned>(column);
    chunk.chunk = CompactStruct::read_all(columns[column]);
    if (chunk.chunk.has(column_chunk::file_path)) fail_parquet("a column lies in another file, which is not read here");
    keys_.find(chunk);
    locate(chunk);
    num_copied_chunks_ += chunk.is_copied() ? 1 : 0;
  }
}

// A dictionary page is the first of its chunk. Writers that have none may leave its offset 0; and that of the data pages,
// where a chunk has no rows.
void FileRewrite::locate(Chunk& chunk) {
  const std::int64_t data_page = required(chunk.metadata, column_metadata::data_page_offset, "where its pages are");
  const std::int64_t dictionary = chunk.metadata.integer(column_metadata::dictionary_page_offset).value_or(0);
  const bool has_data = data_page > 0;
  chunk.has_dictionary = dictionary > 0 && (!has_data || dictionary < data_page);
  if (has_data && dictionary > data_page && !chunk.is_copied()) fail_parquet("a dictionary page lies behind the data pages");
  chunk.from = source_.claim(chunk.has_dictionary ? dictionary : data_page,
                             required(chunk.metadata, column_metadata::total_compressed_size, "how long its pages are"));
}

void FileRewrite::move_parts() {
  list_chunks();
  for (Chunk& chunk : chunks_) {
    num_pages_ += move_pages(source_, chunk, sink_);
    put_places(chunk);
  }
  for (Chunk& chunk : chunks_) move_bloom_filter(chunk);
  for (Chunk& chunk : chunks_) {
    move_index(chunk, ParquetModule::column_index, column_chunk::column_index_offset, column_chunk::column_index_length);
  }
  for (Chunk& chunk : chunks_) {
    move_index(chunk, ParquetModule::offset_index, column_chunk::offset_index_offset, column_chunk::offset_index_length);
  }
}

// Puts the places of the pages into the metadata. If pages are decrypted or encrypted, an index page loses its place,
// since none is ever written.
void FileRewrite::put_places(Chunk& chunk) {
  CompactStruct& metadata = chunk.metadata;
  if (chunk.is_copied()) {
    move_field(metadata, column_metadata::data_page_offset, CompactType::i64, chunk.from, chunk.to);
    move_field(metadata, column_metadata::index_page_offset, CompactType::i64, chunk.from, chunk.to);
    move_field(metadata, column_metadata::dictionary_page_offset, CompactType::i64, chunk.from, chunk.to);
    chunk.uncompressed_bytes = metadata.integer(column_metadata::total_uncompressed_size).value_or(0);
    return;
  }
  const auto put = [&](int id, std::uint64_t value) {
    metadata.set_integer(id, CompactType::i64, static_cast<std::int64_t>(value));
  };
  put(column_metadata::total_uncompressed_size, static_cast<std::uint64_t>(chunk.uncompressed_bytes));
  put(column_metadata::total_compressed_size, chunk.to.num_bytes);
  if (metadata.integer(column_metadata::data_page_offset).value_or(0) > 0 || chunk.first_data_page) {
    put(column_metadata::data_page_offset, chunk.first_data_page.value_or(chunk.to.end()));
  }
  metadata.remove(column_metadata::index_page_offset);
  if (chunk.has_dictionary) {
    put(column_metadata::dictionary_page_offset, chunk.to.offset);
  } else {
    metadata.remove(column_metadata::dictionary_page_offset);
  }
}

Buffer FileRewrite::read_module(const Chunk& chunk, ParquetModule module, const FilePart& part) const {
  Buffer bytes = source_.read(part);
  if (chunk.open == nullptr) return bytes;
  if (module == ParquetModule::bloom_filter_bitset) return chunk.open->open(chunk.place(module), std::move(bytes));
  if (module == ParquetModule::column_index) {
    return structure_or_all(chunk.open->open(chunk.place(module), std::move(bytes)));
  }
  return chunk.open->open_structure(chunk.place(module), std::move(bytes));
}

FilePart FileRewrite::write_module(const Chunk& chunk, ParquetModule module, Bytes plain) {
  return chunk.seal == nullptr ? sink_.write(plain) : sink_.write(chunk.seal->seal(chunk.place(module), plain));
}

// Returns the header, and the bits behind it.
std::pair<Buffer, Buffer> FileRewrite::read_bloom_filter(const Chunk& chunk, std::int64_t offset) {
  const auto module_at = [&](std::int64_t begin) {
    std::array<std::uint8_t, module_length_bytes> length{};
    source_.read_at(static_cast<std::uint64_t>(begin), length);
    return source_.claim(begin, static_cast<std::int64_t>(module_length_bytes + std::uint64_t{load_u32(length.data())}));
  };
  const auto num_bytes_in = [](Bytes header) {
    return CompactStruct::read_all(header).integer(bloom_filter_header::num_bytes).value_or(-1);
  };
  if (chunk.open != nullptr) {
    const FilePart header = module_at(offset);
    const FilePart bits = module_at(static_cast<std::int64_t>(header.end()));
    std::pair<Buffer, Buffer> filter{read_module(chunk, ParquetModule::bloom_filter_header, header),
                                     read_module(chunk, ParquetModule::bloom_filter_bitset, bits)};
    if (num_bytes_in(filter.first) != static_cast<std::int64_t>(filter.second.size())) {
      fail_parquet("a Bloom filter is not as long as its header says");
    }
    return filter;
  }
  Buffer header = read_structure(source_, static_cast<std::uint64_t>(offset), source_.num_bytes());
  const auto header_bytes = static_cast<std::int64_t>(header.size());
  source_.claim(offset, header_bytes);
  return {header, source_.read(source_.claim(offset + header_bytes, num_bytes_in(header)))};
}

void FileRewrite::move_bloom_filter(Chunk& chunk) {
  const std::int64_t offset = chunk.metadata.integer(column_metadata::bloom_filter_offset).value_or(0);
  if (offset <= 0) return;
  const auto [header, bits] = read_bloom_filter(chunk, offset);
  const FilePart to = write_module(chunk, ParquetModule::bloom_filter_header, header);
  const std::uint64_t num_bytes = to.num_bytes + write_module(chunk, ParquetModule::bloom_filter_bitset, bits).num_bytes;
  chunk.metadata.set_integer(column_metadata::bloom_filter_offset, CompactType::i64, static_cast<std::int64_t>(to.offset));
  chunk.metadata.set_integer(column_metadata::bloom_filter_length, CompactType::i32, static_cast<std::int64_t>(num_bytes));
}

// A page is where it was, or as far from its chunk's beginning as before.
Buffer FileRewrite::changed_offset_index(const Chunk& chunk, Bytes index) const {
  CompactStruct changed = CompactStruct::read_all(index);
  const std::vector<Bytes> locations = changed.structures(offset_index::page_locations).value_or(std::vector<Bytes>());
  if (!chunk.is_copied() && locations.size() != chunk.pages.size()) fail_parquet("an offset index has not all pages");
  std::vector<Buffer> moved;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    CompactStruct location = CompactStruct::read_all(locations[i]);
    if (chunk.is_copied()) {
      move_field(location, offset_index::offset, CompactType::i64, chunk.from, chunk.to);
    } else {
      const MovedPage& page = chunk.pages[i];
      if (location.integer(offset_index::offset) != static_cast<std::int64_t>(page.from)) {
        fail_parquet("an offset index has a page at another place");
      }
      location.set_integer(offset_index::offset, CompactType::i64, static_cast<std::int64_t>(page.to.offset));
      location.set_integer(offset_index::compressed_page_size, CompactType::i32,
                           static_cast<std::int64_t>(page.to.num_bytes));
    }
    moved.push_back(location.bytes());
  }
  changed.set_structures(offset_index::page_locations, moved);
  return changed.bytes();
}

void FileRewrite::move_index(Chunk& chunk, ParquetModule module, int offset_field, int length_field) {
  const std::optional<std::int64_t> offset = chunk.chunk.integer(offset_field), length = chunk.chunk.integer(length_field);
  if (!offset || !length) return;
  Buffer index = read_module(chunk, module, source_.claim(*offset, *length));
  if (module == ParquetModule::offset_index) index = changed_offset_index(chunk, index);
  const FilePart to = write_module(chunk, module, index);
  chunk.chunk.set_integer(offset_field, CompactType::i64, static_cast<std::int64_t>(to.offset));
  chunk.chunk.set_integer(length_field, CompactType::i32, static_cast<std::int64_t>(to.num_bytes));
}

Buffer FileRewrite::new_row_group(std::size_t number, std::span<Chunk> chunks, bool has_ordinals) {
  CompactStruct group = row_groups_[number];
  std::vector<Buffer> columns;
  std::int64_t uncompressed_bytes = 0, compressed_bytes = 0;
  for (Chunk& chunk : chunks) {
    uncompressed_bytes += chunk.uncompressed_bytes;
    compressed_bytes += static_cast<std::int64_t>(chunk.to.num_bytes);
    chunk.chunk.set_integer(column_chunk::file_offset, CompactType::i64, 0);
    chunk.chunk.remove(column_chunk::crypto_metadata);
    chunk.chunk.remove(column_chunk::encrypted_column_metadata);
    keys_.put_metadata(chunk);
    columns.push_back(chunk.chunk.bytes());
  }
  group.set_structures(row_group::columns, columns);
  group.set_integer(row_group::total_byte_size, CompactType::i64, uncompressed_bytes);
  if (group.has(row_group::file_offset)) {
    const std::uint64_t offset = chunks.empty() ? 0 : chunks.front().to.offset;
    group.set_integer(row_group::file_offset, CompactType::i64, static_cast<std::int64_t>(offset));
  }
  if (group.has(row_group::total_compressed_size)) {
    group.set_integer(row_group::total_compressed_size, CompactType::i64, compressed_bytes);
  }
  if (!has_ordinals) {
    group.remove(row_group::ordinal);
  } else if (!group.has(row_group::ordinal)) {
    group.set_integer(row_group::ordinal, CompactType::i16, static_cast<std::int64_t>(number));
  }
  return group.bytes();
}

CompactStruct FileRewrite::new_metadata(bool has_ordinals) {
  CompactStruct changed = metadata_;
  std::vector<Buffer> row_groups;
  std::span<Chunk> rest(chunks_);
  for (std::size_t i = 0; i < row_groups_.size(); ++i) {
    row_groups.push_back(new_row_group(i, rest.first(num_columns_[i]), has_ordinals));
    rest = rest.subspan(num_columns_[i]);
  }
  changed.set_structures(file_metadata::row_groups, row_groups);
  changed.remove(file_metadata::encryption_algorithm);
  changed.remove(file_metadata::footer_signing_key_metadata);
  return changed;
}

}  // namespace phalanx
