// Files that appear only when they are complete: what is under which name at each moment, and what other programs may do
// meanwhile. This program hears of the calls that make a file durable or give it its name, and can make them fail.
#include "files/system/output/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace {

std::vector<std::string> calls;
std::size_t failing_call = 0;  // counted from 1; 0: none

bool fails(const std::string& call) {
  calls.push_back(call);
  if (calls.size() != failing_call) return false;
  errno = EIO;
  return true;
}

int result_of(long result) { return static_cast<int>(result); }

}  // namespace

extern "C" int fsync(int file) {
  struct stat status {};
  const bool is_folder = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  return fails(is_folder ? "sync the folder" : "sync") ? -1 : result_of(syscall(SYS_fsync, file));
}
extern "C" int fchmod(int file, mode_t mode) noexcept {
  return fails("set the mode") ? -1 : result_of(syscall(SYS_fchmod, file, mode));
}
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return fails("rename to a new name") ? -1 : result_of(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
extern "C" int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return fails("replace") ? -1 : result_of(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;

Buffer bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

template <class Action>
void expect_error(ErrorCode code, const std::string& part_of_message, const Action& action) {
  try {
    action();
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

class AtomicFileTest : public testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string path = folder.path_of("out");
  const std::string partial_path = path + partial_suffix;

  void SetUp() override { umask(022); }
  void TearDown() override { failing_call = 0; }

  [[nodiscard]] AtomicFileOptions replacing() const {
    return {.replace = true, .replaced = identity_at(path), .needed = nullptr};
  }
  static void hear_calls(std::size_t failing = 0) {
    calls.clear();
    failing_call = failing;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    const Buffer bytes = read_file(name);
    return {bytes.begin(), bytes.end()};
  }
};

TEST_F(AtomicFileTest, LiesBesideItsNameUntilItIsComplete) {
  AtomicFile file(path, {});
  file.append(bytes_of("all of it"));
  EXPECT_EQ(folder.names(), Names{"out.phalanx-partial"});
  EXPECT_EQ(mode_of(partial_path), 0600U);
  EXPECT_EQ(file.partial_path(), partial_path);
  file.commit();
  EXPECT_EQ(folder.names(), Names{"out"});
  EXPECT_EQ(content(path), "all of it");
  EXPECT_EQ(mode_of(path), 0644U);
  EXPECT_EQ(file.committed_stamp(), stamp_at(path));
  EXPECT_TRUE(file.is_name_durable());
}

TEST_F(AtomicFileTest, IsRemovedWhereItIsNotCommitted) {
  {
    AtomicFile file(path, {});
    file.append(bytes_of("a part"));
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST_F(AtomicFileTest, IsOnTheDiskBeforeItHasItsNameAndTheNameAfterThat) {
  AtomicFile file(path, {});
  file.append(bytes_of("x"));
  hear_calls();
  file.commit();
  EXPECT_EQ(calls, (Names{"sync", "set the mode", "rename to a new name", "sync", "sync the folder"}));
}

TEST_F(AtomicFileTest, HasNoNameIfItCannotBeMadeDurable) {
  {
    AtomicFile file(path, {});
    file.append(bytes_of("x"));
    hear_calls(1);
    expect_error(ErrorCode::runtime, "cannot write", [&] { file.commit(); });
    EXPECT_EQ(calls, Names{"sync"});
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST_F(AtomicFileTest, SaysWhereItsNameOrItsOwnerIsNotDurable) {
  for (const std::size_t failing : {4U, 5U}) {
    AtomicFile file(path, {});
    file.append(bytes_of("x"));
    hear_calls(failing);
    expect_error(ErrorCode::runtime, "make durable", [&] { file.commit(); });
    failing_call = 0;
    EXPECT_EQ(folder.names(), Names{"out"}) << "it has its name, and all of its content";
    std::filesystem::remove(path);
  }
}

TEST_F(AtomicFileTest, IsRemovedIfItsModeOrItsNameCannotBeSet) {
  for (const std::size_t failing : {2U, 3U}) {
    {
      AtomicFile file(path, {});
      hear_calls(failing);
      EXPECT_THROW(file.commit(), Error);
    }
    EXPECT_EQ(folder.names(), Names());
  }
}

TEST_F(AtomicFileTest, LeavesWhatHasComeUnderItsNameMeanwhile) {
  {
    AtomicFile file(path, {});
    folder.write("out", bytes_of("another's"));
    expect_error(ErrorCode::usage, "exists", [&] { file.commit(); });
  }
  EXPECT_EQ(folder.names(), Names{"out"});
  EXPECT_EQ(content(path), "another's");
}

TEST_F(AtomicFileTest, ReplacesOnlyTheFileThatWasThere) {
  folder.write("out", bytes_of("old"));
  {
    AtomicFile file(path, replacing());
    file.append(bytes_of("new"));
    EXPECT_EQ(content(path), "old");
    hear_calls();
    file.commit();
    EXPECT_EQ(calls.at(2), "replace");
  }
  EXPECT_EQ(content(path), "new");

  AtomicFile file(path, replacing());
  folder.write("other", bytes_of("another's"));
  std::filesystem::rename(folder.path_of("other"), path);
  expect_error(ErrorCode::usage, "was changed by another program", [&] { file.commit(); });
  EXPECT_EQ(content(path), "another's");
}

TEST_F(AtomicFileTest, IsMadeInAFolderThatIsHeldForSeveral) {
  const RootedFolder root(folder.path_of("."));
  const auto held = root.hold_folder_of("out");
  EXPECT_EQ(root.hold_folder_of("other"), held);
  EXPECT_EQ(held->look_at("out", path), std::nullopt);
  {
    AtomicFile file(path, {.folder = held});
    file.append(bytes_of("whole"));
    EXPECT_EQ(folder.names(), Names{"out.phalanx-partial"});
    file.commit();
  }
  EXPECT_EQ(content(path), "whole");
  EXPECT_TRUE(held->look_at("out", path));
  expect_error(ErrorCode::usage, "exists", [&] { AtomicFile(path, {.folder = held}).commit(); });
  EXPECT_EQ(folder.names(), Names{"out"});
  EXPECT_FALSE(held->is_given_up());
}

TEST_F(AtomicFileTest, FailsInAHeldFolderThatHasAnotherPathByNow) {
  std::filesystem::create_directory(folder.path_of("in"));
  const RootedFolder root(folder.path_of("."));
  const auto held = root.hold_folder_of("in/out");
  const std::string below = folder.path_of("in/out");
  {
    AtomicFile file(below, {.folder = held});
    std::filesystem::rename(folder.path_of("in"), folder.path_of("moved"));
    EXPECT_EQ(root.hold_folder_of("in/other"), held) << "nobody knows yet";
    expect_error(ErrorCode::runtime, "is not what we wrote", [&] { file.commit(); });
  }
  EXPECT_TRUE(held->is_given_up());
  EXPECT_EQ(root.hold_folder_of("in/other"), nullptr);
  std::filesystem::create_directory(folder.path_of("in"));
  EXPECT_NE(root.hold_folder_of("in/other"), held);
  { const AtomicFile file(folder.path_of("in/other"), {.folder = held}); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path_of("in")));
}

TEST_F(AtomicFileTest, NeverTakesThePartialFileOfALivingRun) {
  AtomicFile living(path, {});
  living.append(bytes_of("x"));
  expect_error(ErrorCode::usage, "exists", [&] { const AtomicFile file(path, {}); });
  expect_error(ErrorCode::usage, "in use", [&] { const AtomicFile file(path, {.replace = true}); });
  expect_error(ErrorCode::usage, "in use", [&] { const AtomicFile file(path, {.resume = true}); });
  living.commit();
  EXPECT_EQ(content(path), "x");
}

TEST_F(AtomicFileTest, RemovesThePartialFileOfAKilledRunOnlyWhereItMayReplace) {
  folder.write("out.phalanx-partial", bytes_of("left"));
  expect_error(ErrorCode::usage, "a killed one left it", [&] { const AtomicFile file(path, {}); });
  EXPECT_EQ(content(partial_path), "left");
  AtomicFile file(path, {.replace = true});
  EXPECT_EQ(content(partial_path), "");
}

TEST_F(AtomicFileTest, ContinuesThePartialFileOfAKilledRunAndKeepsIt) {
  folder.write("out.phalanx-partial", bytes_of("left"));
  std::filesystem::permissions(partial_path, std::filesystem::perms(0644));
  {
    AtomicFile file(path, {.resume = true});
    EXPECT_EQ(file.found_bytes(), 4U);
    EXPECT_EQ(mode_of(partial_path), 0600U);
    file.append(bytes_of(", more"));
  }
  EXPECT_EQ(content(partial_path), "left, more");
  AtomicFile file(path, {.resume = true});
  file.commit();
  EXPECT_EQ(content(path), "left, more");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST_F(AtomicFileTest, KeepsNothingThatIsEmptyOrNotWorthContinuing) {
  { const AtomicFile empty(path, {.resume = true}); }
  EXPECT_EQ(folder.names(), Names());
  {
    AtomicFile file(path, {.resume = true});
    file.append(bytes_of("x"));
    EXPECT_TRUE(file.is_kept());
    EXPECT_FALSE(file.remove_unless_kept());
    file.discard();
    EXPECT_TRUE(file.remove_unless_kept());
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST_F(AtomicFileTest, ContinuesNothingThatSomebodyElseMayHaveMade) {
  const std::string victim = folder.write("victim", bytes_of("kept"));
  std::filesystem::create_symlink(victim, partial_path);
  expect_error(ErrorCode::runtime, "cannot open", [&] { const AtomicFile file(path, {.resume = true}); });
  expect_error(ErrorCode::usage, "exists", [&] { const AtomicFile file(path, {.replace = true}); });
  std::filesystem::remove(partial_path);
  std::filesystem::create_hard_link(victim, partial_path);
  expect_error(ErrorCode::usage, "other names", [&] { const AtomicFile file(path, {.resume = true}); });
  std::filesystem::remove(partial_path);
  std::filesystem::create_directory(partial_path);
  EXPECT_THROW(AtomicFile(path, {.resume = true}), Error);
  EXPECT_EQ(content(victim), "kept");
}

TEST_F(AtomicFileTest, TakesNoFileOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files to another user";
  folder.write("out.phalanx-partial", bytes_of("theirs"));
  ASSERT_EQ(chown(partial_path.c_str(), 12345, 12345), 0);
  expect_error(ErrorCode::usage, "belongs to another user", [&] { const AtomicFile file(path, {.resume = true}); });
  expect_error(ErrorCode::usage, "exists", [&] { const AtomicFile file(path, {.replace = true}); });
  EXPECT_EQ(content(partial_path), "theirs");
}

TEST_F(AtomicFileTest, TakesNoFileThatTheRunNeeds) {
  folder.write("out.phalanx-partial", bytes_of("a key"));
  ProtectedFiles needed;
  needed.add_path(partial_path, "the key file");
  for (const bool resume : {true, false}) {
    expect_error(ErrorCode::usage, "the key file",
                 [&] { const AtomicFile file(path, {.replace = !resume, .resume = resume, .needed = &needed}); });
  }
  EXPECT_EQ(content(partial_path), "a key");
}

TEST_F(AtomicFileTest, SeesThatAnotherProgramChangesIt) {
  {
    AtomicFile file(path, {});
    file.append(bytes_of("some bytes"));
    std::filesystem::resize_file(partial_path, 3);
    expect_error(ErrorCode::runtime, "changed by another program", [&] { file.append(bytes_of("x")); });
    expect_error(ErrorCode::runtime, "changed by another program", [&] { file.reserve(100); });
    expect_error(ErrorCode::runtime, "changed by another program", [&] { file.truncate(1); });
    expect_error(ErrorCode::runtime, "changed by another program", [&] { file.commit(); });
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST_F(AtomicFileTest, LeavesWhatAnotherProgramPutUnderThePartialName) {
  {
    AtomicFile file(path, {});
    std::filesystem::remove(partial_path);
    folder.write("out.phalanx-partial", bytes_of("another's"));
    expect_error(ErrorCode::runtime, "was moved, replaced or removed", [&] { file.commit(); });
    EXPECT_FALSE(file.remove_unless_kept());
  }
  EXPECT_EQ(folder.names(), Names{"out.phalanx-partial"});
  EXPECT_EQ(content(partial_path), "another's");
}

TEST_F(AtomicFileTest, HasTheModeThatWasAskedLessTheUmaskOfItsBeginning) {
  AtomicFile file(path, {.mode = 0660});
  umask(0);
  file.commit();
  EXPECT_EQ(mode_of(path), 0640U);
}

TEST_F(AtomicFileTest, IsForNobodyForWhomItsLimitIsNot) {
  FileAttributes widest;
  widest.mode = 0600;
  widest.owner = geteuid();
  widest.group = getegid();
  AtomicFile file(path, {.widest = widest});
  file.commit();
  EXPECT_EQ(mode_of(path), 0600U);
}

TEST_F(AtomicFileTest, KeepsTheModeOfWhatItReplacesButNotItsTime) {
  folder.write("out", bytes_of("old"));
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  const timespec times[] = {{.tv_sec = 1000, .tv_nsec = 0}, {.tv_sec = 1000, .tv_nsec = 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  AtomicFile(path, replacing()).commit();
  EXPECT_EQ(mode_of(path), 0640U);
  EXPECT_NE(stamp_at(path)->modified.tv_sec, 1000);
  AtomicFileOptions options = replacing();
  options.keep_attributes = false;
  AtomicFile(path, options).commit();
  EXPECT_EQ(mode_of(path), 0644U);
}

TEST_F(AtomicFileTest, HasTheAttributesThatItWasGiven) {
  AtomicFile file(path, {});
  FileAttributes attributes;
  attributes.mode = 0640;
  attributes.owner = geteuid();
  attributes.group = getegid();
  attributes.modified = {.tv_sec = 86400, .tv_nsec = 7};
  file.keep_attributes(attributes);
  EXPECT_EQ(mode_of(partial_path), 0600U);
  file.commit();
  EXPECT_EQ(mode_of(path), 0640U);
  EXPECT_EQ(stamp_at(path)->modified.tv_sec, 86400);
  EXPECT_EQ(stamp_at(path)->modified.tv_nsec, 7);
}

TEST_F(AtomicFileTest, TakesRoomAndIsCut) {
  AtomicFile file(path, {});
  file.reserve(5000);
  EXPECT_EQ(std::filesystem::file_size(partial_path), 5000U);
  file.reserve(10);
  EXPECT_EQ(file.size_bytes(), 5000U);
  file.write_at(bytes_of("abc"), 7);
  file.truncate(10);
  file.commit();
  EXPECT_EQ(content(path), std::string(7, '\0') + "abc");
}

TEST_F(AtomicFileTest, IsWrittenBySeveralThreadsAtOnce) {
  AtomicFile file(path, {});
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&file, thread] {
      for (unsigned i = 0; i < 50; ++i) {
        const unsigned number = 4 * i + thread;
        file.write_at(Buffer(10, static_cast<std::uint8_t>(number)), std::uint64_t{10} * (199 - number));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  file.commit();
  const Buffer written = read_file(path);
  ASSERT_EQ(written.size(), 2000U);
  for (std::size_t i = 0; i < written.size(); ++i) ASSERT_EQ(written[i], 199 - i / 10);
}

}  // namespace
}  // namespace phalanx::test
