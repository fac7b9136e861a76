// The pages of a column chunk, of any bytes or sealed and then changed: whoever decrypts them elsewhere, as a GPU does, gets
// the bytes that are decrypted here, or the same error.
#include <algorithm>
#include <array>

#include "parquet/chunk_pages.hpp"
#include "parquet/footer.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::array<std::uint8_t, 16> key{7};

// Takes pages into memory, at once.
class MemoryTaker : public PageTaker, public ByteSink {
 public:
  explicit MemoryTaker(const PartSource& source) : source_(source) {}
  [[nodiscard]] int num_threads() const override { return 1; }

  void take(const Chunk& chunk, std::vector<PageToTake> pages) override {
    for (const PageToTake& page : pages) {
      const Buffer plain = chunk.open->open(page.place, source_.read(page.body));
      require(plain.size() == page.plain_bytes, "a page is as long as was said");
      put(page.header, page.to);
      put(plain, page.to + page.header.size());
    }
  }
  void copy(const FilePart& from, std::uint64_t to) override { put(source_.read(from), to); }
  void finish() override {}  // nothing is held back
  void write(Bytes bytes) override { put(bytes, image.size()); }

  Buffer image;

 private:
  void put(Bytes bytes, std::uint64_t to) {
    require(to == image.size(), "pages come one behind the other");
    image.insert(image.end(), bytes.begin(), bytes.end());
  }

  const PartSource& source_;
};

// What is the same of a chunk before it was moved.
struct Pages {
  Bytes bytes;
  bool has_dictionary = false;
};

Chunk chunk_of(const Pages& pages, PartSource& source) {
  Chunk chunk;
  chunk.has_dictionary = pages.has_dictionary;
  chunk.from = source.claim(0, static_cast<std::int64_t>(pages.bytes.size()));
  return chunk;
}

// Some pages, with headers as they are in a file.
Buffer take_pages(FuzzedInput& input) {
  Buffer all;
  for (std::size_t left = input.below(4); left > 0; --left) {
    const Buffer body = input.fill(input.below(40));
    CompactStruct header;
    header.set_integer(page_header::type, CompactType::i32, static_cast<std::int64_t>(input.below(4)));
    header.set_integer(page_header::uncompressed_page_size, CompactType::i32, static_cast<std::int64_t>(input.below(100)));
    const std::int64_t odd = input.below(16) == 15 ? static_cast<std::int64_t>(input.below(3)) - 1 : 0;
    header.set_integer(page_header::compressed_page_size, CompactType::i32, static_cast<std::int64_t>(body.size()) + odd);
    if (input.flag()) header.set_integer(page_header::crc, CompactType::i32, 5);
    const Buffer bytes = header.bytes();
    all.insert(all.end(), bytes.begin(), bytes.end());
    all.insert(all.end(), body.begin(), body.end());
  }
  return all;
}

// Moves the chunk through memory; `done` keeps what became of it.
std::optional<ErrorCode> move(const Pages& pages, OpeningKey* open, SealingKey* seal, Buffer& moved, Chunk& done) {
  return error_of([&] {
    MemorySource source(pages.bytes);
    done = chunk_of(pages, source);
    done.open = open;
    done.seal = seal;
    MemorySink bytes;
    PartSink sink(bytes);
    static_cast<void>(move_pages(source, done, sink));
    moved = bytes.bytes;
  });
}

std::optional<ErrorCode> move_elsewhere(const Pages& pages, OpeningKey* open, Buffer& moved, Chunk& done) {
  MemorySource source(pages.bytes);
  MemoryTaker taker(source);
  return error_of([&] {
    done = chunk_of(pages, source);
    done.open = open;
    PartSink sink(taker, &taker);
    static_cast<void>(move_pages(source, done, sink));
    moved = taker.image;
  });
}

bool same_places(const Chunk& one, const Chunk& other) {
  const bool same_pages = std::ranges::equal(one.pages, other.pages, [](const MovedPage& a, const MovedPage& b) {
    return a.from == b.from && a.to.offset == b.to.offset && a.to.num_bytes == b.to.num_bytes;
  });
  return same_pages && one.to.offset == other.to.offset && one.to.num_bytes == other.to.num_bytes &&
         one.uncompressed_bytes == other.uncompressed_bytes && one.first_data_page == other.first_data_page;
}

// Opens them here and elsewhere, each under a key that has opened nothing yet.
std::optional<ErrorCode> open_both_ways(const Pages& pages, const FileCrypto& crypto, bool is_plain, Buffer& moved) {
  OpeningKey here(crypto, key, "the key", {});
  OpeningKey there(crypto, key, "the key", {});
  Chunk of_here;
  Chunk of_there;
  Buffer elsewhere;
  const auto error = move(pages, is_plain ? nullptr : &here, nullptr, moved, of_here);
  const auto error_elsewhere = move_elsewhere(pages, is_plain ? nullptr : &there, elsewhere, of_there);
  require(error == error_elsewhere, "pages are refused alike");
  if (error) return error;
  require(moved == elsewhere, "pages are the same wherever they are decrypted");
  require(same_places(of_here, of_there), "and lie in the same places");
  return error;
}

// Sealed, opened, and sealed and changed.
void check_sealed(FuzzedInput& input, const FileCrypto& crypto, bool has_dictionary) {
  const Buffer plain = take_pages(input);
  SealingKey sealing(crypto, ParquetKey(key), {});
  Buffer sealed;
  Buffer opened;
  Chunk chunk;
  const auto error = move({plain, has_dictionary}, nullptr, &sealing, sealed, chunk);
  require(!error || error == ErrorCode::format || error == ErrorCode::truncated, "what are no pages are refused so");
  if (error) return;
  const auto error_of_opening = open_both_ways({sealed, has_dictionary}, crypto, false, opened);
  require(!error_of_opening, "what was sealed opens");
  Buffer again;
  Buffer opened_again;
  require(!move({opened, has_dictionary}, nullptr, &sealing, again, chunk), "and is sealed again");
  require(!open_both_ways({again, has_dictionary}, crypto, false, opened_again), "and opens again");
  require(opened == opened_again, "to what it was");
  for (std::size_t left = sealed.empty() ? 0 : input.below(3); left > 0; --left) {
    sealed[input.below(sealed.size())] ^= static_cast<std::uint8_t>(1U << input.below(8));
  }
  if (input.below(8) == 7) sealed.resize(input.below(sealed.size() + 1));
  static_cast<void>(open_both_ways({sealed, has_dictionary}, crypto, false, again));
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  FileCrypto crypto;
  if (input.flag()) crypto.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1;
  const bool has_dictionary = input.flag();
  Buffer moved;
  if (input.flag()) {
    const Bytes rest = input.take_rest();
    static_cast<void>(open_both_ways({rest, has_dictionary}, crypto, false, moved));
    require(!open_both_ways({rest, has_dictionary}, crypto, true, moved) && same(moved, rest), "what is plain is copied");
    return 0;
  }
  check_sealed(input, crypto, has_dictionary);
  return 0;
}
