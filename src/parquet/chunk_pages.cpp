#include "parquet/chunk_pages.hpp"

#include <algorithm>
#include <array>

#include "engine/bytes/byte_order.hpp"
#include "engine/threads/threads.hpp"
#include "parquet/footer.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

// At most so much of a chunk is in memory at once, or one page where that is longer. It is enough for all cores, and
// little enough that the allocator uses the same memory again. With 64 MiB most of the time went to pages of memory
// that the system cleared.
constexpr std::uint64_t batch_bytes = std::uint64_t{8} << 20;
constexpr std::size_t batch_pages = 16384;

struct Page {
  std::uint64_t from = 0;
  std::size_t header_bytes = 0;  // as it lies in the file
  std::size_t body_bytes = 0;
  bool is_dictionary = false;
  unsigned ordinal = 0;         // of a data page
  MutableBytes header{};        // plain
  MutableBytes body{};          // where it is in memory
  std::size_t plain_bytes = 0;  // of the body
};

ParquetModule header_module(const Page& page) {
  return page.is_dictionary ? ParquetModule::dictionary_page_header : ParquetModule::data_page_header;
}
ParquetModule body_module(const Page& page) {
  return page.is_dictionary ? ParquetModule::dictionary_page : ParquetModule::data_page;
}

// Goes from page to page of a chunk.
class PageWalk {
 public:
  PageWalk(const PartSource& source, const Chunk& chunk) : source_(source), chunk_(chunk), position_(chunk.from.offset) {}

  // The next pages; none at the end. They lie behind each other in the file.
  std::vector<Page> next_batch() {
    std::vector<Page> pages;
    std::uint64_t num_bytes = 0;
    while (position_ < chunk_.from.end() && num_bytes < batch_bytes && pages.size() < batch_pages) {
      const Page page = next();
      const std::uint64_t page_bytes = std::uint64_t{page.header_bytes} + page.body_bytes;
      if (!pages.empty() && num_bytes + page_bytes > batch_bytes) break;
      num_bytes += page_bytes;
      pages.push_back(page);
      position_ += page_bytes;
      is_first_ = false;
      if (!page.is_dictionary) ++num_data_pages_;
    }
    return pages;
  }

 private:
  [[nodiscard]] Page next() const {
    Page page{.from = position_, .is_dictionary = is_first_ && chunk_.has_dictionary, .ordinal = num_data_pages_};
    if (num_data_pages_ > most_ordinal) fail_parquet("a column chunk has more data pages than an encrypted file can have");
    if (chunk_.open != nullptr) {
      page.header_bytes = module_at(position_, most_header_bytes + gcm_module_added_bytes);
      page.body_bytes = module_at(position_ + page.header_bytes, UINT32_MAX);
    } else {
      const Buffer header = read_structure(source_, position_, chunk_.from.end());
      page.header_bytes = header.size();
      page.body_bytes = body_bytes_of(header, position_ + header.size());
    }
    return page;
  }

  // Returns the length of the module that begins at `offset`.
  [[nodiscard]] std::size_t module_at(std::uint64_t offset, std::uint64_t most_bytes) const {
    const std::uint64_t left = chunk_.from.end() - offset;
    if (left < module_length_bytes) throw_too_short();
    std::array<std::uint8_t, module_length_bytes> length{};
    source_.read_at(offset, length);
    const std::uint64_t num_bytes = module_length_bytes + std::uint64_t{load_u32(length.data())};
    if (num_bytes > left || num_bytes > most_bytes) throw_too_short();
    return static_cast<std::size_t>(num_bytes);
  }

  [[nodiscard]] std::size_t body_bytes_of(Bytes header, std::uint64_t offset) const {
    const std::optional<std::int64_t> num_bytes = CompactStruct::read_all(header).integer(page_header::compressed_page_size);
    if (!num_bytes || *num_bytes < 0 || static_cast<std::uint64_t>(*num_bytes) > chunk_.from.end() - offset)
      throw_too_short();
    return static_cast<std::size_t>(*num_bytes);
  }

  [[noreturn]] static void throw_too_short() { fail_parquet("a page reaches over the end of its column chunk"); }

  const PartSource& source_;
  const Chunk& chunk_;
  std::uint64_t position_;
  bool is_first_ = true;
  unsigned num_data_pages_ = 0;
};

// Reads the pages of a batch into one memory, and decrypts them there.
Buffer read_batch(const PartSource& source, const Chunk& chunk, std::vector<Page>& pages) {
  const Page& last = pages.back();
  const std::uint64_t begin = pages.front().from;
  Buffer memory = source.read({begin, last.from + last.header_bytes + last.body_bytes - begin});
  std::vector<ParquetModuleToOpen> modules;
  for (Page& page : pages) {
    page.header = MutableBytes(memory).subspan(page.from - begin, page.header_bytes);
    page.body = MutableBytes(memory).subspan(page.from - begin + page.header_bytes, page.body_bytes);
    if (chunk.open == nullptr) continue;
    modules.push_back({.place = chunk.place(header_module(page), page.ordinal), .module = page.header});
    modules.push_back({.place = chunk.place(body_module(page), page.ordinal), .module = page.body});
  }
  if (chunk.open != nullptr) chunk.open->open(modules);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (chunk.open != nullptr) {
      pages[i].header = modules[2 * i].plain;
      pages[i].body = modules[2 * i + 1].plain;
    }
    pages[i].plain_bytes = pages[i].body.size();
  }
  return memory;
}

std::size_t plain_bytes_of(const Chunk& chunk, const Page& page) {
  const bool has_tag = chunk.open->modules().is_authenticated(body_module(page));
  const std::size_t added = has_tag ? gcm_module_added_bytes : ctr_module_added_bytes;
  if (page.body_bytes < added) fail_parquet("the length of an encrypted module does not fit");
  return page.body_bytes - added;
}

// The headers alone.
Buffer read_headers(const PartSource& source, const Chunk& chunk, std::vector<Page>& pages) {
  std::size_t num_bytes = 0;
  for (const Page& page : pages) num_bytes += page.header_bytes;
  Buffer memory(num_bytes);
  MutableBytes rest = memory;
  std::vector<ParquetModuleToOpen> modules;
  for (const Page& page : pages) {
    source.read_at(page.from, rest.first(page.header_bytes));
    modules.push_back({.place = chunk.place(header_module(page), page.ordinal), .module = rest.first(page.header_bytes)});
    rest = rest.subspan(page.header_bytes);
  }
  chunk.open->open(modules);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    pages[i].header = modules[i].plain;
    pages[i].plain_bytes = plain_bytes_of(chunk, pages[i]);
  }
  return memory;
}

// A page by CTR has no tag, but its header has one. If pages are not compressed, the header tells the length of the
// plain page. A page by GCM that was made to pass for one by CTR has another length. A page whose header is wrong in
// this is not encrypted, either.
void check_plain_bytes(const Chunk& chunk, const Page& page, std::int64_t uncompressed) {
  const ParquetModules& modules = chunk.open != nullptr ? chunk.open->modules() : chunk.seal->modules();
  if (modules.is_authenticated(body_module(page))) return;
  if (chunk.metadata.integer(column_metadata::codec) != column_metadata::uncompressed) return;
  if (uncompressed == static_cast<std::int64_t>(page.plain_bytes)) return;
  if (chunk.open != nullptr) chunk.open->fail(chunk.place(body_module(page), page.ordinal));
  fail_parquet("a page that is not compressed is not as long as its header says");
}

// The header that the page has in the other file. Its checksum would be one of other bytes, and is left out.
Buffer changed_header(const Chunk& chunk, const Page& page, std::int64_t& uncompressed_bytes) {
  CompactStruct header = CompactStruct::read(page.header);  // zeros may follow it: OpeningKey::open_structure
  const std::int64_t type = header.integer(page_header::type).value_or(-1);
  const bool is_data = type == page_header::data_page || type == page_header::data_page_v2;
  if (page.is_dictionary ? type != page_header::dictionary_page : !is_data)
    fail_parquet("a page is of another kind than its place");
  if (header.integer(page_header::compressed_page_size) != static_cast<std::int64_t>(page.body_bytes)) {
    fail_parquet("a page is not as long as its header says");
  }
  const std::int64_t uncompressed = header.integer(page_header::uncompressed_page_size).value_or(-1);
  if (uncompressed < 0 || uncompressed > INT32_MAX) fail_parquet("a page has no possible length");
  check_plain_bytes(chunk, page, uncompressed);
  const std::size_t body_bytes =
      chunk.seal == nullptr ? page.plain_bytes : chunk.seal->modules().sealed_bytes(body_module(page), page.plain_bytes);
  header.set_integer(page_header::compressed_page_size, CompactType::i32, static_cast<std::int64_t>(body_bytes));
  header.remove(page_header::crc);
  uncompressed_bytes = uncompressed;
  return header.bytes();
}

struct WrittenBatch {
  Buffer memory{};
  std::vector<FilePart> headers{};  // in the memory
  std::vector<FilePart> bodies{};
};

// Where each page of the batch goes in memory, one behind the other.
WrittenBatch place_batch(const Chunk& chunk, const std::vector<Page>& pages, const std::vector<Buffer>& headers) {
  WrittenBatch written;
  std::uint64_t position = 0;
  const auto place = [&](ParquetModule module, std::size_t plain_bytes) {
    const std::size_t num_bytes =
        chunk.seal == nullptr ? plain_bytes : chunk.seal->modules().sealed_bytes(module, plain_bytes);
    position += num_bytes;
    return FilePart{position - num_bytes, num_bytes};
  };
  for (std::size_t i = 0; i < pages.size(); ++i) {
    written.headers.push_back(place(header_module(pages[i]), headers[i].size()));
    written.bodies.push_back(place(body_module(pages[i]), pages[i].body.size()));
  }
  written.memory.resize(position);
  return written;
}

void fill_batch(const Chunk& chunk, const std::vector<Page>& pages, const std::vector<Buffer>& headers,
                WrittenBatch& written) {
  std::vector<ParquetModuleToSeal> modules;
  const auto put = [&](ParquetModule module, const Page& page, Bytes plain, const FilePart& part) {
    const MutableBytes out = MutableBytes(written.memory).subspan(part.offset, part.num_bytes);
    if (chunk.seal == nullptr) {
      std::ranges::copy(plain, out.begin());
    } else {
      modules.push_back({.place = chunk.place(module, page.ordinal), .plain = plain, .module = out});
    }
  };
  for (std::size_t i = 0; i < pages.size(); ++i) {
    put(header_module(pages[i]), pages[i], headers[i], written.headers[i]);
    put(body_module(pages[i]), pages[i], pages[i].body, written.bodies[i]);
  }
  if (chunk.seal != nullptr) chunk.seal->seal(modules);
}

// The headers of a batch as they will be, and what each says of its page's length.
struct ChangedHeaders {
  std::vector<Buffer> headers{};
  std::vector<std::int64_t> uncompressed{};
};

ChangedHeaders changed_headers(const Chunk& chunk, const std::vector<Page>& pages, int num_threads = 1) {
  constexpr std::size_t grain = 16;
  ChangedHeaders changed;
  changed.headers.resize(pages.size());
  changed.uncompressed.resize(pages.size());
  run_parallel(num_threads, pages.size(), grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) changed.headers[i] = changed_header(chunk, pages[i], changed.uncompressed[i]);
  });
  return changed;
}

// Where a page is now, with its header.
void note_page(Chunk& chunk, const Page& page, std::uint64_t header_bytes, std::int64_t uncompressed, const FilePart& to) {
  chunk.uncompressed_bytes += static_cast<std::int64_t>(header_bytes) + uncompressed;
  if (page.is_dictionary) return;
  if (!chunk.first_data_page) chunk.first_data_page = to.offset;
  chunk.pages.push_back({page.from, to});
}

void write_batch(Chunk& chunk, const std::vector<Page>& pages, PartSink& sink) {
  const ChangedHeaders changed = changed_headers(chunk, pages);
  WrittenBatch written = place_batch(chunk, pages, changed.headers);
  fill_batch(chunk, pages, changed.headers, written);
  const std::uint64_t begin = sink.write(written.memory).offset;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const FilePart to{begin + written.headers[i].offset, written.headers[i].num_bytes + written.bodies[i].num_bytes};
    note_page(chunk, pages[i], written.headers[i].num_bytes, changed.uncompressed[i], to);
  }
}

// If several modules of a batch are wrong, the Error names the first, as where all of them are opened together. An
// error of an earlier batch comes before it.
ChangedHeaders headers_to_give(const PartSource& source, const Chunk& chunk, std::vector<Page>& pages, PageTaker& taker) {
  try {
    const Buffer memory = read_headers(source, chunk, pages);
    return changed_headers(chunk, pages, taker.num_threads());
  } catch (const Error&) {
    taker.finish();
    const Buffer memory = read_batch(source, chunk, pages);
    (void)changed_headers(chunk, pages);
    throw;
  }
}

// write_batch where another decrypts the bodies.
void give_batch(const PartSource& source, Chunk& chunk, std::vector<Page>& pages, PartSink& sink) {
  ChangedHeaders changed = headers_to_give(source, chunk, pages, *sink.taker());
  std::vector<PageToTake> given;
  given.reserve(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Page& page = pages[i];
    const std::size_t header_bytes = changed.headers[i].size();
    const FilePart to = sink.skip(header_bytes + page.plain_bytes);
    note_page(chunk, page, header_bytes, changed.uncompressed[i], to);
    given.push_back({.place = chunk.place(body_module(page), page.ordinal),
                     .body = {page.from + page.header_bytes, page.body_bytes},
                     .plain_bytes = page.plain_bytes,
                     .header = std::move(changed.headers[i]),
                     .to = to.offset});
  }
  sink.taker()->take(chunk, std::move(given));
}

void copy_pages(const PartSource& source, const Chunk& chunk, PartSink& sink) {
  if (sink.taker() != nullptr) {
    sink.taker()->copy(chunk.from, sink.skip(chunk.from.num_bytes).offset);
    return;
  }
  for (std::uint64_t position = chunk.from.offset; position < chunk.from.end();) {
    const std::uint64_t num_bytes = std::min(batch_bytes, chunk.from.end() - position);
    sink.write(source.read({position, num_bytes}));
    position += num_bytes;
  }
}

}  // namespace

Buffer read_structure(const PartSource& source, std::uint64_t offset, std::uint64_t end) {
  if (offset > end) fail_parquet("a part lies behind its end");
  const std::uint64_t most_bytes = std::min<std::uint64_t>(end - offset, most_header_bytes);
  for (std::uint64_t num_bytes = std::min<std::uint64_t>(most_bytes, 256);;
       num_bytes = std::min(most_bytes, 8 * num_bytes)) {
    Buffer bytes = source.read({offset, num_bytes});
    try {
      bytes.resize(CompactStruct::read(bytes).num_bytes());
      return bytes;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::truncated || num_bytes == most_bytes) throw;
    }
  }
}

std::uint64_t move_pages(const PartSource& source, Chunk& chunk, PartSink& sink) {
  chunk.to.offset = sink.position();
  std::uint64_t num_pages = 0;
  if (chunk.is_copied()) {
    copy_pages(source, chunk, sink);
  } else {
    PageWalk walk(source, chunk);
    for (std::vector<Page> pages = walk.next_batch(); !pages.empty(); pages = walk.next_batch()) {
      if (sink.taker() != nullptr) {
        give_batch(source, chunk, pages, sink);
      } else {
        const Buffer memory = read_batch(source, chunk, pages);
        write_batch(chunk, pages, sink);
      }
      num_pages += pages.size();
    }
  }
  chunk.to.num_bytes = sink.position() - chunk.to.offset;
  return num_pages;
}

}  // namespace phalanx
