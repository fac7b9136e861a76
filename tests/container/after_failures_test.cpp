// What readers and writers of containers do after a call that failed, and once they were moved from.
#include <gtest/gtest.h>
#include <phalanx/files/container.h>

#include <algorithm>
#include <phalanx/files/container.hpp>

#include "container_fixture.hpp"
#include "tests/library/tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t sealed_chunk = 16384 + 16;

struct Damaged {
  ByteVector key = ByteVector(32, 9);
  ByteVector plain = Random(43).bytes(6 * 16384 + 5);
  ByteVector sealed = seal("aes-256", {by_key(key)}, plain);

  Damaged() { sealed[sealed.size() - 5 - 16 - 2 * sealed_chunk] ^= 1; }  // in chunk 4
};

TEST(AfterFailures, AReaderFailsForThatChunkAlone) {
  const Damaged damaged;
  const std::vector<Recipient> recipients{by_key(damaged.key)};
  std::size_t num_failures = 0;
  const ReadAt read_at = [&](std::uint64_t offset, MutableBytes out) {
    if (num_failures != 0 && num_failures-- != 0) throw Error(ErrorCode::runtime, "the disk is away");
    std::copy_n(damaged.sealed.begin() + static_cast<long>(offset), out.size(), out.begin());
  };
  const ContainerReader reader(read_at, damaged.sealed.size(), identities_of(recipients), {"", 1});
  for (int i = 0; i < 3; ++i) {
    ByteVector part(damaged.plain.size(), 0xa5);
    EXPECT_EQ(code_of([&] { reader.read(0, part); }, "chunk 4"), 3);
    EXPECT_EQ(part, ByteVector(part.size())) << "something was let out";
    num_failures = 1;
    ByteVector good(3 * 16384, 0xa5);
    EXPECT_EQ(code_of([&] { reader.read(100, good); }, "the disk is away"), 1);
    EXPECT_EQ(good, ByteVector(good.size()));
    reader.read(100, good);
    EXPECT_TRUE(std::equal(good.begin(), good.end(), damaged.plain.begin() + 100));
  }
}

TEST(AfterFailures, AReaderInCFailsForThatChunkAlone) {
  const Damaged damaged;
  const phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, damaged.key.data(), damaged.key.size()};
  phalanx_container_reader* reader = nullptr;
  ASSERT_EQ(phalanx_container_reader_of_memory(&reader, damaged.sealed.data(), damaged.sealed.size(), &identity, 1, nullptr,
                                               nullptr, nullptr),
            PHALANX_OK);
  for (int i = 0; i < 3; ++i) {
    ByteVector part(damaged.plain.size(), 0xa5);
    EXPECT_EQ(phalanx_container_reader_read(reader, 0, part.data(), part.size()), PHALANX_AUTHENTICATION);
    EXPECT_EQ(part, ByteVector(part.size()));
    EXPECT_EQ(phalanx_container_reader_read(reader, 0, part.data(), 16384), PHALANX_OK);
    EXPECT_TRUE(std::equal(part.begin(), part.begin() + 16384, damaged.plain.begin()));
  }
  phalanx_container_reader_free(reader);
}

TEST(AfterFailures, AWriterInCTakesNothingMore) {
  struct Disk {
    bool is_full = false;
    std::size_t num_bytes = 0;
  } disk;
  const auto append = [](void* user_data, const std::uint8_t*, std::size_t size) {
    auto& to = *static_cast<Disk*>(user_data);
    to.num_bytes += size;
    return to.is_full ? -1 : 0;
  };
  const ByteVector key(32, 9), plain(std::size_t{5} << 20);
  const phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  for (const bool fails : {true, false}) {
    phalanx_container_writer* writer = nullptr;
    ASSERT_EQ(phalanx_container_writer_new(&writer, append, &disk, "aes-256", &recipient, 1, nullptr, nullptr), PHALANX_OK);
    disk.is_full = fails;
    EXPECT_EQ(phalanx_container_writer_write(writer, plain.data(), plain.size()), fails ? PHALANX_RUNTIME : PHALANX_OK);
    disk.is_full = false;
    if (!fails) {
      EXPECT_EQ(phalanx_container_writer_finish(writer), PHALANX_OK);
    }
    const std::size_t before = disk.num_bytes;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(phalanx_container_writer_write(writer, plain.data(), plain.size()), PHALANX_USAGE);
      EXPECT_EQ(phalanx_container_writer_finish(writer), PHALANX_USAGE);
    }
    EXPECT_EQ(disk.num_bytes, before);
    phalanx_container_writer_free(writer);
  }
}

// NOLINTBEGIN(bugprone-use-after-move)
TEST(AfterFailures, MovedFromTheySaySo) {
  const ByteVector key(32, 9), plain(100, 3);
  const std::vector<Recipient> recipients{by_key(key)};
  ByteVector sealed;
  ContainerWriter writer([&](Bytes bytes) { sealed.insert(sealed.end(), bytes.begin(), bytes.end()); }, "aes-256",
                         recipients);
  writer.write(plain);
  ContainerWriter other(std::move(writer));
  EXPECT_EQ(code_of([&] { writer.write(plain); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { writer.finish(); }, "moved from"), 2);
  other.finish();
  EXPECT_EQ(open(sealed, recipients), plain);
  ContainerReader reader(sealed, identities_of(recipients));
  const ContainerReader moved(std::move(reader));
  ByteVector out(100);
  EXPECT_EQ(code_of([&] { reader.read(0, out); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { static_cast<void>(reader.size()); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { static_cast<void>(reader.suite()); }, "moved from"), 2);
  moved.read(0, out);
  EXPECT_EQ(out, plain);
}
// NOLINTEND(bugprone-use-after-move)

}  // namespace
}  // namespace phalanx::test
