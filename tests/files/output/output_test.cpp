// OUT: which names are taken, and what becomes of what stands there.
#include "files/system/output/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;

Buffer bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

class OutputTest : public testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string path = folder.path_of("out");

  static void write_all_of(Output& output) {
    output.open();
    output.write(bytes_of("new"));
    output.commit();
  }
  static std::string refusal(const std::string& name, const OutputOptions& options = {}, const Input* input = nullptr) {
    try {
      Output output(name, options, input);
      output.open();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
      return error.what();
    }
    return "";
  }
  [[nodiscard]] static std::string content(const std::string& name) {
    const Buffer bytes = read_file(name);
    return {bytes.begin(), bytes.end()};
  }
};

TEST_F(OutputTest, CreatesNothingBeforeItIsOpened) {
  Output output(path, {});
  EXPECT_EQ(folder.names(), Names());
  output.open();
  ASSERT_NE(output.file(), nullptr);
  EXPECT_EQ(folder.names(), Names{"out.phalanx-partial"});
  output.write(bytes_of("new"));
  output.commit();
  EXPECT_EQ(content(path), "new");
}

TEST_F(OutputTest, ReplacesAFileOnlyByForce) {
  folder.write("out", bytes_of("old"));
  EXPECT_NE(refusal(path).find("exists: it is overwritten only with `replace`"), std::string::npos);
  EXPECT_EQ(content(path), "old");
  Output output(path, {.force = true});
  write_all_of(output);
  EXPECT_EQ(content(path), "new");
}

TEST_F(OutputTest, IsNeverTheInputNorAFileThatTheRunNeeds) {
  folder.write("out", bytes_of("old"));
  const Input input(path);
  EXPECT_NE(refusal(path, {.force = true}, &input).find("are the same file"), std::string::npos);
  std::filesystem::create_symlink(path, folder.path_of("link"));
  EXPECT_NE(refusal(folder.path_of("link"), {.force = true}, &input).find("are the same file"), std::string::npos);
  ProtectedFiles needed;
  needed.add_path(path, "the key file");
  EXPECT_NE(refusal(path, {.force = true, .needed = &needed}).find("the key file"), std::string::npos);
  EXPECT_EQ(content(path), "old");
}

TEST_F(OutputTest, FollowsALinkThatTheUserNamesAndNoneOfAMadeUpName) {
  const std::string target = folder.write("target", bytes_of("old"));
  std::filesystem::create_symlink(target, path);
  EXPECT_NE(refusal(path, {.force = true, .made_up = true}), "");
  Output output(path, {.force = true});
  write_all_of(output);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  EXPECT_EQ(content(target), "new");
}

TEST_F(OutputTest, IsNoFolderAndNoSocketAndWhereAFileIsMeantNoPipe) {
  EXPECT_NE(refusal(folder.path(), {.force = true}).find("is a folder"), std::string::npos);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal(path, {.file_only = true}).find("name a file as OUT"), std::string::npos);
  ASSERT_EQ(mknod(folder.path_of("socket").c_str(), S_IFSOCK | 0600, 0), 0);
  EXPECT_NE(refusal(folder.path_of("socket")).find("name a file as OUT"), std::string::npos);
}

TEST_F(OutputTest, WritesDevicesStraightAndCannotContinueThem) {
  Output output("/dev/null", {});
  EXPECT_FALSE(output.is_null()) << "not yet open";
  write_all_of(output);
  Output again("/dev/null", {});
  again.open();
  EXPECT_TRUE(again.is_null());
  EXPECT_EQ(again.file(), nullptr);
  EXPECT_NE(refusal("/dev/null", {.resume = true}).find("needs a file"), std::string::npos);
}

TEST_F(OutputTest, WritesADescriptorThatIsOpenAlready) {
  const FileDescriptor file = open_file(path, O_RDWR | O_CREAT, 0600);
  Output output("/dev/fd/" + std::to_string(file.get()), {});
  write_all_of(output);
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST_F(OutputTest, IsGoneWhereItIsNotCommitted) {
  {
    Output output(path, {});
    output.open();
    output.write(bytes_of("a part"));
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST_F(OutputTest, IsKeptWhereItMayBeContinued) {
  const OutputOptions options{.can_resume = true, .resume = true};
  {
    Output output(path, options);
    output.open();
    output.write(bytes_of("a part"));
  }
  EXPECT_EQ(folder.names(), Names{"out.phalanx-partial"});
  Output output(path, options);
  output.open();
  EXPECT_EQ(output.file()->found_bytes(), 6U);
}

TEST_F(OutputTest, CannotBeInAFolderThatIsNotThere) {
  Output output(folder.path_of("none/out"), {});
  EXPECT_THROW(output.open(), Error);
}

}  // namespace
}  // namespace phalanx::test
