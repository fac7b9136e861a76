// The pages of a column chunk, a batch at a time: read, as they were encrypted or not, and written the other way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parquet/file_keys.hpp"
#include "parquet/file_parts.hpp"

namespace phalanx {

/// A data page that was written elsewhere, for the offset index.
struct MovedPage {
  std::uint64_t from = 0;
  FilePart to{};  ///< with its header
};

/// This goes with a column chunk from one file into another.
struct Chunk {
  unsigned row_group = 0;
  unsigned column = 0;
  CompactStruct chunk{};     ///< ColumnChunk
  Buffer own_metadata{};     ///< what `metadata` was read from, if it was encrypted
  CompactStruct metadata{};  ///< ColumnMetaData
  std::string path{};
  OpeningKey* open = nullptr;  ///< nullptr: it is not encrypted
  SealingKey* seal = nullptr;  ///< nullptr: it will not be encrypted

  FilePart from{};              ///< its pages, in the file that is read
  bool has_dictionary = false;  ///< its first page is one
  FilePart to{};                ///< its pages, as they were written
  std::vector<MovedPage> pages{};
  std::int64_t uncompressed_bytes = 0;
  std::optional<std::uint64_t> first_data_page{};  ///< where it was written

  [[nodiscard]] ParquetPlace place(ParquetModule module, unsigned page = 0) const {
    return {.module = module, .row_group = row_group, .column = column, .page = page};
  }
  /// Its pages are neither decrypted nor encrypted: they are copied as they are.
  [[nodiscard]] bool is_copied() const { return open == nullptr && seal == nullptr; }
};

/// A page whose header was decrypted, and whose body was not.
struct PageToTake {
  ParquetPlace place{};         ///< of the body
  FilePart body{};              ///< the module, in the file that is read
  std::size_t plain_bytes = 0;  ///< of the body
  Buffer header{};              ///< as it is to be
  std::uint64_t to = 0;         ///< where it is to be, in the file that is written; the plain body follows
};

/// Decrypts the pages of column chunks, and puts them where a plain file has them, in place of a sink's bytes: in a GPU's
/// memory.
class PageTaker {
 public:
  virtual ~PageTaker() = default;
  /// Returns how many threads may work in the host's memory meanwhile; 0: all.
  [[nodiscard]] virtual int num_threads() const = 0;
  /// May return before it is done. Throws what OpeningKey::open throws, also for pages of calls before.
  virtual void take(const Chunk& chunk, std::vector<PageToTake> pages) = 0;
  /// Copies a part that is not encrypted.
  virtual void copy(const FilePart& from, std::uint64_t to) = 0;
  /// Waits; the keys of chunks may then go.
  virtual void finish() = 0;
};

/// Writes the chunk's pages, and notes in the chunk where they are now. Returns the number of pages. Throws Error:
/// format, truncated, wrong_key, authentication.
std::uint64_t move_pages(const PartSource& source, Chunk& chunk, PartSink& sink);

/// Returns the bytes of a structure of unknown length at a place of a file. It has at most most_header_bytes, and ends
/// before `end`. Throws Error (format) or (truncated).
[[nodiscard]] Buffer read_structure(const PartSource& source, std::uint64_t offset, std::uint64_t end);

}  // namespace phalanx
