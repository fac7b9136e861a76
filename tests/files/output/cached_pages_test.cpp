// Where what is read of a file comes from.
#include "files/system/output/cached_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/system/file_descriptor.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t num_bytes = (std::size_t{1} << 20) + 77;

class CachedPages : public testing::Test {
 protected:
  std::string path = testing::TempDir() + "phalanx-cached-XXXXXX";
  FileDescriptor file{mkstemp(path.data())};
  const std::vector<std::uint8_t> content = std::vector<std::uint8_t>(num_bytes, 0xa5);

  void SetUp() override {
    ASSERT_GE(file.get(), 0);
    write_all(file.get(), content, path);
    ASSERT_TRUE(sync_data(file.get()));
  }
  void TearDown() override { std::filesystem::remove(path); }
};

TEST_F(CachedPages, AreDroppedWhereThereIsADisk) {
  const ContentSource source = drop_cached_pages(file.get());
  if (source == ContentSource::memory) GTEST_SKIP() << "the folder of tests lies in memory";
  EXPECT_EQ(source, ContentSource::disk);
  EXPECT_EQ(why_not_from_disk(source), "");
  std::vector<std::uint8_t> read(num_bytes + 1);
  EXPECT_EQ(read_at(file.get(), read, 0, path), num_bytes);
  read.pop_back();
  EXPECT_EQ(read, content);
  require_from_disk(file.get(), path);
}

TEST_F(CachedPages, ThatStayAreTold) {
  if (drop_cached_pages(file.get()) == ContentSource::memory) GTEST_SKIP() << "the folder of tests lies in memory";
  void* const mapping = mmap(nullptr, num_bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  ASSERT_NE(mapping, MAP_FAILED);
  if (mlock(mapping, 4096) != 0) GTEST_SKIP() << "nothing may be locked here";
  EXPECT_EQ(drop_cached_pages(file.get()), ContentSource::cache);
  EXPECT_EQ(drop_cached_pages(file.get(), 0, 10), ContentSource::cache);
  EXPECT_THROW(require_from_disk(file.get(), path), Error);
  munmap(mapping, num_bytes);
  EXPECT_EQ(drop_cached_pages(file.get()), ContentSource::disk);
}

TEST_F(CachedPages, ThatAreNotWrittenYetAreTold) {
  if (drop_cached_pages(file.get()) == ContentSource::memory) GTEST_SKIP() << "the folder of tests lies in memory";
  EXPECT_EQ(sync_and_read_from_disk(file.get(), path), ContentSource::disk);
  write_at(file.get(), content, 0, path);
  EXPECT_EQ(sync_and_read_from_disk(file.get(), path), ContentSource::disk);
}

TEST_F(CachedPages, OfALongHoleAreNotLookedFor) {
  ASSERT_TRUE(set_size(file.get(), std::uint64_t{1} << 42));
  EXPECT_NE(drop_cached_pages(file.get()), ContentSource::cache);
}

TEST(CachedPagesOfMemory, AreAllThereIs) {
  const FileDescriptor file(memfd_create("in memory", MFD_CLOEXEC));
  ASSERT_GE(file.get(), 0);
  EXPECT_EQ(drop_cached_pages(file.get()), ContentSource::memory);
  EXPECT_NE(why_not_from_disk(ContentSource::memory), "");
  EXPECT_THROW(require_from_disk(file.get(), "in memory"), Error);
}

TEST(CachedPagesOfMemory, APipeHasNoDisk) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FileDescriptor in(ends[0]), out(ends[1]);
  EXPECT_THROW(require_from_disk(in.get(), "a pipe"), Error);
}

}  // namespace
}  // namespace phalanx::test
