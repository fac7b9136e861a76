// Files that the bench reads are never read whole where they have no business being so large.
#include "bench/measuring/text_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <phalanx/phalanx.hpp>

#include "bench/measuring/results.hpp"
#include "bench/measuring/selection.hpp"

namespace phalanx::bench {
namespace {

class TextFile : public testing::Test {
 protected:
  TextFile() {
    char name[] = "/tmp/phalanx-text-XXXXXX";
    const int file = ::mkstemp(name);
    EXPECT_GE(file, 0);
    ::close(file);
    path_ = name;
  }
  ~TextFile() override { std::filesystem::remove(path_); }

  std::string path_;
};

std::string complaint(const std::string& path, std::size_t most_bytes) {
  try {
    static_cast<void>(read_text(path, most_bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST_F(TextFile, ComesWholeUpToItsBound) {
  const std::string text(200000, 'x');
  std::ofstream(path_) << text;
  EXPECT_EQ(read_text(path_, text.size()), text);
  EXPECT_EQ(read_text(path_, 1000000), text);
  EXPECT_NE(complaint(path_, text.size() - 1).find("too large"), std::string::npos);
  std::ofstream(path_, std::ios::trunc).flush();
  EXPECT_EQ(read_text(path_, 10), "");
}

TEST_F(TextFile, OfGigabytesIsNotRead) {
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 40);  // no memory holds that
  EXPECT_NE(complaint(path_, most_plan_bytes).find("too large"), std::string::npos);
  EXPECT_NE(complaint(path_, most_result_bytes).find("too large"), std::string::npos);
  EXPECT_NE(complaint("/dev/zero", most_plan_bytes).find("too large"), std::string::npos) << "one that never ends";
}

TEST_F(TextFile, ThatIsNotThereIsAFailureOfTheMachine) {
  std::filesystem::remove(path_);
  EXPECT_THROW(static_cast<void>(read_text(path_, 10)), Error);
}

}  // namespace
}  // namespace phalanx::bench
