// A Parquet file written again under other keys, or none: what decrypting and encrypting share. Pages, filters and indexes
// move, and every offset and length that the footer has of them moves along.
#pragma once

#include <optional>
#include <vector>

#include "parquet/chunk_pages.hpp"
#include "parquet/footer.hpp"

namespace phalanx {

/// This finds the keys of each column chunk, and puts its new metadata.
class ChunkKeys {
 public:
  virtual ~ChunkKeys() = default;
  /// Sets `metadata`, `path`, and the keys of a chunk, of which `chunk`, row group and column are set.
  virtual void find(Chunk& chunk) = 0;
  /// Puts the new metadata into chunk.chunk, whose fields for encryption are removed.
  virtual void put_metadata(Chunk& chunk) = 0;
};

class FileRewrite {
 public:
  /// `metadata` is FileMetaData. All must live as long as this.
  FileRewrite(PartSource& source, const CompactStruct& metadata, ChunkKeys& keys, PartSink& sink)
      : source_(source), metadata_(metadata), keys_(keys), sink_(sink) {}

  /// Writes all but the footer. Throws as move_pages does.
  void move_parts();

  /// The FileMetaData for what was written. `has_ordinals`: row groups say which they are, as encrypted files
  /// have it.
  [[nodiscard]] CompactStruct new_metadata(bool has_ordinals);

  [[nodiscard]] std::uint64_t num_pages() const { return num_pages_; }
  [[nodiscard]] bool has_row_groups() const { return !row_groups_.empty(); }
  [[nodiscard]] std::uint64_t num_copied_chunks() const { return num_copied_chunks_; }

 private:
  void list_chunks();
  void list_columns(std::size_t group, const std::vector<Bytes>& columns);
  void locate(Chunk& chunk);
  void move_bloom_filter(Chunk& chunk);
  void move_index(Chunk& chunk, ParquetModule module, int offset_field, int length_field);
  [[nodiscard]] Buffer changed_offset_index(const Chunk& chunk, Bytes index) const;
  [[nodiscard]] Buffer read_module(const Chunk& chunk, ParquetModule module, const FilePart& part) const;
  [[nodiscard]] std::pair<Buffer, Buffer> read_bloom_filter(const Chunk& chunk, std::int64_t offset);
  FilePart write_module(const Chunk& chunk, ParquetModule module, Bytes plain);
  static void put_places(Chunk& chunk);
  [[nodiscard]] Buffer new_row_group(std::size_t number, std::span<Chunk> chunks, bool has_ordinals);

  PartSource& source_;
  const CompactStruct& metadata_;
  ChunkKeys& keys_;
  PartSink& sink_;
  std::vector<CompactStruct> row_groups_;
  std::vector<std::size_t> num_columns_;  // of each row group
  std::vector<Chunk> chunks_;             // of all row groups
  std::uint64_t num_pages_ = 0;
  std::uint64_t num_copied_chunks_ = 0;
};

/// The path of a column, as ColumnMetaData and EncryptionWithColumnKey have it: its parts with points between them.
[[nodiscard]] std::string path_of(const CompactStruct& structure, int id);

}  // namespace phalanx
