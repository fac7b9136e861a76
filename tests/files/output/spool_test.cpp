// What a stream gives is there as often as it is read, and no file is left of it.
#include "files/system/output/spool.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <utility>

#include "temporary_folder.hpp"

namespace phalanx::test {
namespace {

Buffer counted(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return bytes;
}

class Spool : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TMPDIR", folder_.path().c_str(), 1);
    signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override { unsetenv("TMPDIR"); }

  // Spools what another thread writes into a pipe.
  static Input spooled(const Buffer& content) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    auto write = [end = FileDescriptor(ends[1]), &content]() mutable {
      try {
        write_all(end.get(), content, "the pipe");
      } catch (const Error&) {  // nobody reads it any more
      }
      static_cast<void>(end.close());
    };
    const auto writer = std::async(std::launch::async, std::move(write));
    Input input(FileDescriptor{ends[0]}, "the pipe");
    return spool(input);
  }

  TemporaryFolder folder_;
};

TEST_F(Spool, IsReadAsOftenAsOneLikes) {
  constexpr std::size_t edge = std::size_t{1} << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, edge - 1, edge, edge + 1, 3 * edge + 5}) {
    const Buffer content = counted(size);
    Input kept = spooled(content);
    EXPECT_EQ(kept.name(), "the pipe");
    EXPECT_EQ(kept.remaining_bytes(), size);
    for (int time = 0; time < 2; ++time) {
      Buffer read(size + 1);
      read.resize(kept.read(read));
      EXPECT_EQ(read, content) << size;
      kept.seek(0);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    EXPECT_EQ(kept.status().st_nlink, 0U);
    EXPECT_TRUE(size < edge || (kept.status().st_mode & 0077U) == 0);
  }
}

TEST_F(Spool, NamesTheFolderThatIsNotThere) {
  setenv("TMPDIR", (folder_.path() + "/nowhere").c_str(), 1);
  try {
    static_cast<void>(spooled(counted(std::size_t{2} << 20)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::runtime);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
}

}  // namespace
}  // namespace phalanx::test
