// ChunkedAead: published cases, every length around the ends of chunks, streams in any pieces, ranges from memory, functions,
// paths and descriptors, threads, and what is refused.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <phalanx/files/chunked_file.hpp>
#include <thread>

#include "chunked_fixture.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "fixed_random_bytes.hpp"

namespace phalanx::test {
namespace {

// A published message, as a whole, as a stream and by a reader. A stream that is not short of its prefix, and does not end
// where a chunk does, cannot know of a length that no message has before it meets a tag that does not verify.
void expect_case(const Record& record, const ChunkedAead& aead) {
  const ByteVector message = sealed_of(record);
  const bool is_invalid = record.has("result") && record.text("result") != "valid";
  const int expected = is_invalid ? expected_code(record) : 0;
  ByteVector whole, streamed;
  EXPECT_EQ(code_of([&] { whole = open_whole(aead, message); }), expected);
  const int stream_code = code_of([&] {
    ChunkedOpener opener(aead, appends_to(streamed));
    write_in_pieces(opener, message, {10'000});
    opener.finish();
  });
  EXPECT_TRUE(stream_code == expected || (expected == 5 && stream_code == 3)) << stream_code;
  ByteVector read;
  const int reader_code = code_of([&] {
    const ChunkedReader reader(aead, message);
    read.resize(reader.size());
    reader.read(0, read);
  });
  EXPECT_EQ(reader_code, expected);
  if (expected != 0) return;
  expect_plaintext(record, whole);
  EXPECT_TRUE(streamed == whole && read == whole);
}

TEST(ChunkedAeads, PublishedCases) {
  for (const std::string name : {"128", "256"}) {
    for (const Record& record : records_of("chunked_encryption", "cobblestone_" + name + ".txt")) {
      SCOPED_TRACE(record.where);
      const ByteVector key = record.bytes("key");
      if (key.size() == key_bytes_of("cobblestone-" + name)) {
        expect_case(record, ChunkedAead("Cobblestone-" + name, key, record.bytes("context")));
      } else {
        EXPECT_EQ(code_of([&] { ChunkedAead("cobblestone-" + name, key, record.bytes("context")); }, "the key of"), 2);
      }
    }
  }
}

// What the suites of containers are called; these cases are of them.
constexpr std::pair<const char*, const char*> suites_of_names[] = {{"cobblestone-128", "aes-128"},
                                                                   {"cobblestone-256", "aes-256"},
                                                                   {"serpent-256", "serpent-256"},
                                                                   {"twofish-256", "twofish-256"}};

class ChunkedAeadOn : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(ChunkedAeadOn);

// The same message by every engine, number of threads and division into pieces.
TEST_P(ChunkedAeadOn, EveryLengthInAnyPieces) {
  for (const auto& [name, suite] : suites_of_names) {
    for (const std::size_t length : lengths_around_chunks) {
      if (length > 40'000 && (is_slow() || std::string_view(name) != "cobblestone-128")) continue;
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(length));
      set_random_seed("lengths");
      const SealedMessage message(name, length, length, options(2));
      ASSERT_EQ(message.sealed.size(), 56 + length + 16 * (length / 16384 + 1));
      ASSERT_TRUE(open_message(find_suite(suite), message.key, message.context, message.sealed) == message.plain);
      ASSERT_TRUE(open_whole(message.aead, message.sealed) == message.plain);
      ByteVector sealed, plain;
      set_random_seed("lengths");
      ChunkedSealer sealer(message.aead, appends_to(sealed));
      const auto& pieces = awkward_pieces[length % awkward_pieces.size()];
      write_in_pieces(sealer, message.plain, pieces);
      sealer.finish();
      ASSERT_TRUE(sealed == message.sealed);
      ChunkedOpener opener(message.aead, appends_to(plain));
      write_in_pieces(opener, message.sealed, pieces);
      opener.finish();
      ASSERT_TRUE(plain == message.plain);
    }
  }
}

TEST(ChunkedAeads, EveryDivisionGivesTheSame) {
  const std::size_t length = 3 * 16384 + 1000;
  set_random_seed("pieces");
  const SealedMessage message("cobblestone-256", length, 5);
  for (const auto& pieces : awkward_pieces) {
    set_random_seed("pieces");
    ByteVector sealed, plain;
    ChunkedSealer sealer(message.aead, appends_to(sealed));
    EXPECT_EQ(sealed.size(), 56U);
    write_in_pieces(sealer, message.plain, pieces);
    EXPECT_EQ(sealed.size(), 56U + 3 * 16400) << "full chunks come at once";
    sealer.finish();
    EXPECT_TRUE(sealed == message.sealed);
    ChunkedOpener opener(message.aead, appends_to(plain));
    write_in_pieces(opener, message.sealed, pieces);
    EXPECT_EQ(plain.size(), 3U * 16384);
    opener.finish();
    EXPECT_TRUE(plain == message.plain);
  }
}

TEST(ChunkedAeads, NoTwoMessagesHaveASalt) {
  const ChunkedAead aead("cobblestone-128", ByteVector(16, 1));
  ByteVector one(72), other(72);
  aead.seal({}, one);
  aead.seal({}, other);
  EXPECT_FALSE(std::equal(one.begin(), one.begin() + 24, other.begin()));
}

// As the standard says, a context of any length is bound, and one does not run into the salt.
TEST(ChunkedAeads, Contexts) {
  const ByteVector key(16, 3), plain = bytes_of("in lockstep");
  std::vector<ByteVector> contexts = {{}, {0}, {0, 0}, bytes_of("a"), bytes_of("aa"), ByteVector(100'000, 'a')};
  for (const ByteVector& own : contexts) {
    const ChunkedAead aead("cobblestone-128", key, own);
    ByteVector sealed(ChunkedAead::sealed_bytes(plain.size()));
    aead.seal(plain, sealed);
    for (const ByteVector& other : contexts) {
      const ChunkedAead opens("cobblestone-128", key, other);
      ByteVector opened;
      EXPECT_EQ(code_of([&] { opened = open_whole(opens, sealed); }), own == other ? 0 : 4);
      EXPECT_EQ(opened, own == other ? plain : ByteVector());
    }
  }
}

TEST(ChunkedAeads, Sizes) {
  const std::uint64_t most_chunks = std::uint64_t{1} << 38;
  const std::uint64_t most = most_chunks * 16384 - 1;
  EXPECT_EQ(ChunkedAead::sealed_bytes(most), 56 + most + 16 * most_chunks);
  EXPECT_EQ(ChunkedAead::plain_bytes(56 + most + 16 * most_chunks), most);
  for (const std::uint64_t size : {most + 1, UINT64_MAX - 1000, UINT64_MAX}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(ChunkedAead::sealed_bytes(size)); }, "2^38"), 2) << size;
  }
  for (const std::uint64_t size : {0, 1, 55, 56, 71, 56 + 16400, 56 + 16415}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(ChunkedAead::plain_bytes(size)); }, "cut short"), 5) << size;
  }
  EXPECT_EQ(ChunkedAead::plain_bytes(72), 0U);
}

TEST(ChunkedAeads, WhatDoesNotFitIsRefused) {
  const ByteVector key(32, 1);
  for (const char* name : {"", "aes-256", "aes-128", "cobblestone", "cobblestone-512", "aes-256-gcm"}) {
    EXPECT_EQ(code_of([&] { ChunkedAead(name, key); }, "cobblestone-256, cobblestone-128, serpent-256, twofish-256"), 2);
  }
  for (const std::size_t size : {0, 15, 17, 31, 33}) {
    for (const char* name : chunked_names) EXPECT_EQ(code_of([&] { ChunkedAead(name, ByteVector(size)); }, "the key of"), 2);
  }
  EXPECT_EQ(code_of([&] { ChunkedAead("serpent-256", key, {}, {"cpu:none", 0}); }), 2);
  EXPECT_EQ(code_of([&] { ChunkedAead("serpent-256", key, {}, {"", -1}); }), 2);
  const ChunkedAead aead("COBBLESTONE-256", key, {}, {"cpu:scalar", 1});
  EXPECT_EQ(aead.name(), "cobblestone-256");
  EXPECT_EQ(aead.engine(), "cpu:scalar");
  ByteVector memory(400);
  const MutableBytes all = memory;
  EXPECT_EQ(code_of([&] { aead.seal(all.first(100), all.subspan(100, 171)); }, "takes 172 bytes"), 2);
  EXPECT_EQ(code_of([&] { aead.seal(all.first(100), all.subspan(99, 172)); }, "overlap"), 2);
  EXPECT_EQ(code_of([&] { aead.open(all.first(172), all.subspan(200, 99)); }, "takes 100 bytes"), 2);
  EXPECT_EQ(code_of([&] { aead.open(all.first(172), all.first(100)); }, "overlap"), 2);
  EXPECT_EQ(code_of([&] { ChunkedSealer(aead, {}); }), 2);
  EXPECT_EQ(code_of([&] { ChunkedOpener(aead, {}); }), 2);
  EXPECT_EQ(code_of([&] { ChunkedReader(aead, ReadAt(), 100); }), 2);
}

// The message in a file, which is unlinked at once.
class MessageFile {
 public:
  explicit MessageFile(const ByteVector& sealed) : path_(testing::TempDir() + "message_" + std::to_string(getpid())) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(sealed.data()), static_cast<std::streamsize>(sealed.size()));
  }
  ~MessageFile() { std::remove(path_.c_str()); }
  MessageFile(const MessageFile&) = delete;
  MessageFile& operator=(const MessageFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void expect_ranges(const ChunkedReader& reader, const ByteVector& plain) {
  ASSERT_EQ(reader.size(), plain.size());
  Random random(9);
  std::vector<std::pair<std::size_t, std::size_t>> ranges = {{0, plain.size()}, {plain.size(), 0}};
  for (const std::size_t end : {std::size_t{16384}, std::size_t{32768}, plain.size() / 16384 * 16384}) {
    for (const std::size_t before : {0, 1, 16384}) {
      if (before > end) continue;
      for (const std::size_t size : {0, 1, 2, 16384, 16385})
        ranges.emplace_back(end - before, std::min(size, plain.size() - std::min(plain.size(), end - before)));
    }
  }
  for (int i = 0; i < 20; ++i) {
    const std::size_t offset = random.below(plain.size() + 1);
    ranges.emplace_back(offset, random.below(plain.size() - offset + 1));
  }
  for (const auto& [offset, size] : ranges) {
    if (offset > plain.size()) continue;
    ByteVector part(size, 0xa5);
    reader.read(offset, part);
    ASSERT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + static_cast<long>(offset))) << offset << " " << size;
  }
  ByteVector two(2);
  for (const std::uint64_t offset : {std::uint64_t{plain.size()}, std::uint64_t{plain.size()} + 1, UINT64_MAX}) {
    EXPECT_EQ(code_of([&] { reader.read(offset, two); }, "were asked for"), 2);
  }
}

TEST(ChunkedAeads, AnyRangeFromAnywhere) {
  for (const std::size_t length : {0, 1, 16384, 5 * 16384 + 77, 520 * 16384}) {
    SCOPED_TRACE(length);
    const SealedMessage message("cobblestone-128", length, length);
    expect_ranges(ChunkedReader(message.aead, message.sealed), message.plain);
    std::uint64_t num_read = 0;
    const ReadAt read_at = [&](std::uint64_t offset, MutableBytes out) {
      ASSERT_LE(offset + out.size(), message.sealed.size());
      std::copy_n(message.sealed.begin() + static_cast<long>(offset), out.size(), out.begin());
      num_read += out.size();
    };
    const ChunkedReader reader(message.aead, read_at, message.sealed.size());
    EXPECT_EQ(num_read, 56 + length % 16384 + 16) << "the prefix and the last chunk";
    expect_ranges(reader, message.plain);
    if (length > 40'000) {
      num_read = 0;
      ByteVector two(2);
      reader.read(16383, two);
      EXPECT_EQ(num_read, 2U * 16400);
    }
    const MessageFile file(message.sealed);
    expect_ranges(open_chunked_file(message.aead, file.path()), message.plain);
    const int descriptor = ::open(file.path().c_str(), O_RDONLY);
    lseek(descriptor, 5, SEEK_SET);
    const ChunkedReader of_descriptor = open_chunked_file(message.aead, descriptor);
    EXPECT_EQ(lseek(descriptor, 0, SEEK_CUR), 5) << "the position stays";
    close(descriptor);
    expect_ranges(of_descriptor, message.plain);
  }
}

TEST(ChunkedAeads, FilesThatCannotBeRead) {
  const ChunkedAead aead("cobblestone-128", ByteVector(16));
  EXPECT_EQ(code_of([&] { static_cast<void>(open_chunked_file(aead, std::string("/no such file"))); }, "No such file"), 1);
  EXPECT_EQ(code_of([&] { static_cast<void>(open_chunked_file(aead, std::string("/"))); }, "not a regular file"), 1);
  EXPECT_EQ(code_of([&] { static_cast<void>(open_chunked_file(aead, -1)); }), 1);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_EQ(code_of([&] { static_cast<void>(open_chunked_file(aead, pipe_ends[0])); }, "not a regular file"), 1);
  for (const int end : pipe_ends) close(end);
  const SealedMessage message("cobblestone-128", 50'000, 3);
  const MessageFile file(message.sealed);
  const ChunkedReader reader = open_chunked_file(message.aead, file.path());
  ASSERT_EQ(truncate(file.path().c_str(), 20'000), 0);
  ByteVector out(50'000, 0xa5);
  EXPECT_EQ(code_of([&] { reader.read(0, out); }, "became shorter"), 1);
  EXPECT_EQ(out, ByteVector(50'000));
}

TEST(ChunkedAeads, ManyThreadsAtOnce) {
  const SealedMessage message("cobblestone-256", 20 * 16384 + 5, 4);
  const ChunkedReader reader(message.aead, message.sealed);
  std::atomic<int> num_right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        ByteVector sealed(message.sealed.size());
        message.aead.seal(message.plain, sealed);
        ByteVector part(1000);
        reader.read(std::uint64_t{16384} * static_cast<unsigned>((i + round) % 20), part);
        const bool is_part = std::equal(part.begin(), part.end(), message.plain.begin() + 16384 * ((i + round) % 20));
        if (is_part && open_whole(message.aead, sealed) == message.plain) ++num_right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right, 80);
}

}  // namespace
}  // namespace phalanx::test
