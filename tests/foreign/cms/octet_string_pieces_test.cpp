// Strings in pieces in a file, by one thread and by many: the same pieces as of a stream, whatever the string is cut into.
#include "files/foreign/asn1/octet_string_pieces.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

#include "files/foreign/asn1/der_text.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/file_descriptor.hpp"
#include "tests/foreign/format_fixture.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t piece_bytes = 1024;

Buffer counted(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  return bytes;
}

void append(Buffer& to, const Buffer& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

// The content of a string in pieces of sizes that `next_size` gives, every tenth of them within a string of its own.
template <class NextSize>
Buffer cut(const Buffer& octets, NextSize next_size) {
  Buffer content;
  int number = 0;
  for (std::size_t at = 0; at < octets.size();) {
    const std::size_t size = std::min<std::size_t>(next_size(), octets.size() - at);
    const Buffer piece = der_element(0x04, Bytes(octets).subspan(at, size));
    if (++number % 10 == 0) {
      append(content, {0x24, 0x80});
      append(content, piece);
      append(content, {0, 0});
    } else {
      append(content, number % 10 == 5 ? der_element(0x24, piece) : piece);
    }
    at += size;
  }
  return content;
}

struct StringInFile {
  StringInFile(const Buffer& content, bool with_mark) : file(memfd_create("string", MFD_CLOEXEC)) {
    Buffer all = counted(10);  // what stands before it
    append(all, content);
    if (with_mark) append(all, {0, 0});
    place = {.file = file.get(),
             .name = "IN",
             .position = 10,
             .end = with_mark ? ~std::uint64_t{0} : 10 + content.size(),
             .has_end_mark = with_mark,
             .file_end = all.size() + 3};
    append(all, {1, 2, 3});
    write_all(file.get(), all, "IN");
  }

  FileDescriptor file;
  OctetStringPlace place;
};

// Keeps each piece, and checks what is said of it.
class KeptPieces : public PieceSink {
 public:
  [[nodiscard]] bool in_order() const override { return false; }
  void write(const Piece& piece) override {
    const std::lock_guard lock(mutex_);
    const Bytes content = piece.content();
    EXPECT_EQ(piece.offset, piece.number * piece_bytes);
    EXPECT_TRUE(pieces_.emplace(piece.number, Buffer(content.begin(), content.end())).second);
    preceding_[piece.number] = Buffer(piece.preceding.bytes.begin(), piece.preceding.bytes.begin() + piece.preceding.size);
    if (piece.last) last_ = piece.number;
  }

  void expect(const Buffer& octets) const {
    Buffer all;
    for (const auto& [number, piece] : pieces_) {
      EXPECT_EQ(number == last_, number + 1 == pieces_.size());
      EXPECT_TRUE(number == last_ ? piece.size() < piece_bytes + 16 : piece.size() == piece_bytes);
      const Buffer before(all.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(16, all.size())), all.end());
      EXPECT_EQ(preceding_.at(number), before);
      append(all, piece);
    }
    EXPECT_EQ(all, octets);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Buffer> pieces_, preceding_;
  std::uint64_t last_ = ~std::uint64_t{0};
};

ErrorCode read_all(const OctetStringPlace& place, KeptPieces& kept, int num_threads, std::uint64_t* raw_bytes = nullptr) {
  OctetStringPieces pieces(place, piece_bytes, 16);
  Progress nobody;
  return code_of([&] {
    run_pieces(pieces, {}, kept, nobody, {.num_threads = num_threads});
    if (raw_bytes != nullptr) *raw_bytes = pieces.raw_bytes();
  });
}

template <class NextSize>
void check(const Buffer& octets, const NextSize& next_size) {
  NextSize sizes = next_size;
  const Buffer content = cut(octets, sizes);
  for (const bool with_mark : {false, true}) {
    const StringInFile string(content, with_mark);
    for (const int num_threads : {1, 2, 8}) {
      KeptPieces kept;
      std::uint64_t raw_bytes = 0;
      EXPECT_EQ(read_all(string.place, kept, num_threads, &raw_bytes), ErrorCode{0});
      kept.expect(octets);
      EXPECT_EQ(raw_bytes, content.size());
    }
  }
}

TEST(OctetStringPieces, AreThoseOfTheString) {
  for (const std::size_t size : {0, 1, 15, 16, 1023, 1024, 1039, 1040, 5000, 8192, 8193, 100'000}) {
    const Buffer octets = counted(size);
    for (const std::size_t each : {1, 3, 100, 1000, 1024, 4096, 70'000}) {
      if (each < 100 && size > 10'000) continue;
      check(octets, [each] { return each; });
    }
    check(octets, [random = std::minstd_rand(7)]() mutable { return 1 + random() % 3000; });
  }
}

// More lengths than octets, so that no window has a whole piece.
TEST(OctetStringPieces, AreGatheredOfManyWindows) {
  const Buffer octets = counted(60'000);
  Buffer content;
  for (const std::uint8_t octet : octets) {
    append(content, {0x04, 0x83, 0, 0, 1, octet, 0x04, 0});
  }
  const StringInFile string(content, true);
  for (const int num_threads : {1, 4}) {
    KeptPieces kept;
    EXPECT_EQ(read_all(string.place, kept, num_threads), ErrorCode{0});
    kept.expect(octets);
  }
}

TEST(OctetStringPieces, RefuseWhatIsNoString) {
  const auto code_with = [](const Buffer& end, bool with_mark) {
    Buffer content = cut(counted(20'000), [] { return 500; });
    append(content, end);
    const StringInFile string(content, with_mark);
    KeptPieces kept;
    return read_all(string.place, kept, 4);
  };
  EXPECT_EQ(code_with({}, true), ErrorCode{0});
  EXPECT_EQ(code_with({0x02, 1, 5}, true), ErrorCode::format);
  EXPECT_EQ(code_with({0x80, 1, 5}, false), ErrorCode::format);
  EXPECT_EQ(code_with({0x04, 0x80}, true), ErrorCode::format);
  EXPECT_EQ(code_with({0x04, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, true), ErrorCode::format);
  EXPECT_EQ(code_with({0x04, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0}, true), ErrorCode::format);
  EXPECT_EQ(code_with({0x04, 100}, false), ErrorCode::format) << "a piece beyond its string";
  EXPECT_EQ(code_with({0x04, 100}, true), ErrorCode::truncated) << "and one beyond the file";
  EXPECT_EQ(code_with({0x24, 0x80, 0x24, 0x80}, true), ErrorCode::format) << "what stands behind it is no piece";
  Buffer deep;
  for (int i = 0; i < 100; ++i) append(deep, {0x24, 0x80});
  EXPECT_EQ(code_with(deep, true), ErrorCode::format);
}

}  // namespace
}  // namespace phalanx
