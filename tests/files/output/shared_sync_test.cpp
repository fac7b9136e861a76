// Files that are made durable together: who works, who waits, and what a failure says.
#include "files/system/output/shared_sync.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace {

std::atomic<int> num_file_system_syncs{0}, num_file_syncs{0};
std::atomic<int> failing_file_system_sync{0};  // counted from 1; 0: none

}  // namespace

extern "C" int fsync(int file) {
  ++num_file_syncs;
  return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int syncfs(int file) noexcept {
  if (++num_file_system_syncs != failing_file_system_sync) return static_cast<int>(syscall(SYS_syncfs, file));
  errno = EIO;
  return -1;
}

namespace phalanx {
namespace {

using test::TemporaryFolder;
using Synced = SharedSync::Synced;

constexpr std::uint64_t small_bytes = 100, large_bytes = std::uint64_t{2} << 20;

class SharedSyncs : public testing::Test {
 protected:
  void SetUp() override { num_file_system_syncs = num_file_syncs = failing_file_system_sync = 0; }

  // Calls act(number) for each file, on as many threads as a run would.
  static void take_files(SharedSync& shared, std::size_t count, const std::function<void(std::size_t)>& act) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < shared.num_files(); ++i) {
      threads.emplace_back([&] {
        const SharedSync::Presence presence(&shared);
        for (std::size_t number = next++; number < count; number = next++) act(number);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] FileDescriptor make_file(std::size_t number) const {
    FileDescriptor file(open(folder_.path_of(std::to_string(number)).c_str(), O_RDWR | O_CREAT, 0600));
    EXPECT_EQ(write(file.get(), "content", 7), 7);
    return file;
  }

  static SharedSync::OpenFile open_file_of(const FileDescriptor& file) {
    struct stat status {};
    EXPECT_EQ(fstat(file.get(), &status), 0);
    return {.descriptor = file.get(), .device = status.st_dev, .num_bytes = small_bytes};
  }

  // Takes files that are synced twice. Returns what the syncs said.
  std::vector<Synced> sync_all(SharedSync& shared, std::size_t count) {
    std::mutex mutex;
    std::vector<Synced> said;
    take_files(shared, count, [&](std::size_t number) {
      const SharedSync::Turn turn(&shared, small_bytes);
      const FileDescriptor file = make_file(number);
      for (int i = 0; i < 2; ++i) {
        const Synced synced = shared.sync(open_file_of(file));
        const std::lock_guard lock(mutex);
        said.push_back(synced);
      }
    });
    return said;
  }

  TemporaryFolder folder_;
};

TEST_F(SharedSyncs, TakeEveryFileToTheDisk) {
  for (const std::size_t num_files : {1U, 2U, 3U, 16U, 64U}) {
    SharedSync shared(2, num_files);
    const std::vector<Synced> said = sync_all(shared, 100);
    EXPECT_EQ(said.size(), 200U);
    EXPECT_EQ(std::ranges::count(said, Synced::failed), 0);
  }
}

TEST_F(SharedSyncs, AreFewCalls) {
  SharedSync shared(2, 64);
  const std::vector<Synced> said = sync_all(shared, 256);
  if (num_file_system_syncs == 0) GTEST_SKIP() << "this file system is not known to report failures there";
  EXPECT_GT(std::ranges::count(said, Synced::file_system), 256);
  EXPECT_LT(num_file_system_syncs + num_file_syncs, 256) << "for 512 files to sync";
}

TEST_F(SharedSyncs, LetAsManyWorkAsTheyShould) {
  SharedSync shared(3, 32);
  std::atomic<int> num_working{0}, most_working{0};
  take_files(shared, 200, [&](std::size_t number) {
    const SharedSync::Turn turn(&shared, small_bytes);
    const FileDescriptor file = make_file(number);
    const int now = ++num_working;
    for (int most = most_working; most < now && !most_working.compare_exchange_weak(most, now);) {
    }
    std::this_thread::yield();
    --num_working;
    EXPECT_NE(shared.sync(open_file_of(file)), Synced::failed);
  });
  EXPECT_LE(most_working, 3);
}

TEST_F(SharedSyncs, TakeOneLargeFileAtATimeAndSmallOnesBesideIt) {
  SharedSync shared(4, 16);
  std::atomic<int> num_large{0}, num_done{0};
  take_files(shared, 60, [&](std::size_t number) {
    const bool is_large = number % 3 == 0;
    const SharedSync::Turn turn(&shared, is_large ? large_bytes : small_bytes);
    const FileDescriptor file = make_file(number);
    if (is_large) {
      EXPECT_EQ(++num_large, 1);
    }
    SharedSync::OpenFile open_file = open_file_of(file);
    open_file.num_bytes = is_large ? large_bytes : small_bytes;
    if (is_large) --num_large;
    EXPECT_NE(shared.sync(open_file), Synced::failed);
    ++num_done;
  });
  EXPECT_EQ(num_done, 60);
}

TEST_F(SharedSyncs, SyncEachFileByItselfOnceTheFileSystemHasFailed) {
  SharedSync whole(2, 32);
  static_cast<void>(sync_all(whole, 64));
  if (num_file_system_syncs == 0) GTEST_SKIP() << "this file system is not known to report failures there";
  num_file_system_syncs = num_file_syncs = 0;
  failing_file_system_sync = 1;
  SharedSync shared(2, 32);
  const std::vector<Synced> said = sync_all(shared, 64);
  EXPECT_EQ(std::ranges::count(said, Synced::failed), 0);
  EXPECT_EQ(num_file_system_syncs, 1) << "what failed may have been written before a later call";
  EXPECT_GT(num_file_syncs, 64);
}

TEST_F(SharedSyncs, SayWhichFileFails) {
  SharedSync shared(2, 8);
  std::atomic<int> num_failed{0};
  take_files(shared, 40, [&](std::size_t number) {
    const SharedSync::Turn turn(&shared, small_bytes);
    const FileDescriptor file = make_file(number);
    const auto fails = [] {
      errno = EDQUOT;
      return false;
    };
    SharedSync::OpenFile open_file = open_file_of(file);
    open_file.num_bytes = large_bytes;  // which is synced by itself
    const Synced synced = number == 7 ? shared.sync(open_file, fails) : shared.sync(open_file);
    if (synced != Synced::failed) return;
    ++num_failed;
    EXPECT_EQ(errno, EDQUOT);
    EXPECT_EQ(number, 7U);
  });
  EXPECT_EQ(num_failed, 1);
}

TEST_F(SharedSyncs, TakeAsManyFilesAsMayBeOpen) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (const rlim_t limit : {rlim_t{16}, rlim_t{80}, rlim_t{1024}}) {
    const rlimit lower{.rlim_cur = std::min(limit, before.rlim_max), .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
    EXPECT_GE(SharedSync::num_files_together(), 1U);
    EXPECT_LT(SharedSync::num_files_together() * 5, std::max<rlim_t>(limit, 6));
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace phalanx
