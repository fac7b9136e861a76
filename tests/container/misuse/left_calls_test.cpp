// Calls of the C interface that somebody leaves: a thread that is cancelled, a process that ends or is forked within a function of the
// caller's, and what a thread asks of its last error while it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <phalanx/chunked.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/in_place.h>
#include <phalanx/files/trees.h>
#include <phalanx/files/verification.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "tests/foreign/foreign_file.hpp"
#include "tests/threads_of_a_child.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

class LeftCalls : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), plain = varied(200'000, 2);
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string in = folder.write("in", plain), box = folder.path_of("box"), back = folder.path_of("back");

  int seal(phalanx_on_progress on_progress = nullptr, void* user_data = nullptr) {
    phalanx_file_options options = PHALANX_FILE_OPTIONS_INIT;
    options.replace = 1;
    options.on_progress = on_progress;
    options.user_data = user_data;
    return phalanx_seal_file(in.c_str(), box.c_str(), "aes-256", &recipient, 1, &options, nullptr, nullptr, nullptr);
  }

  void expect_box_opens() {
    ASSERT_EQ(phalanx_unseal_file(box.c_str(), back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr),
              PHALANX_OK)
        << phalanx_last_error();
    EXPECT_EQ(read_file(back), plain);
  }
};

// What a thread does for which pthread_cancel was called before: it is pending at each cancellation point of the call.
struct CancelledThread {
  std::function<int()> call;
  int result = -1;
  int state_behind = -1;
};

void* run_cancelled(void* argument) {
  auto& thread = *static_cast<CancelledThread*>(argument);
  pthread_cancel(pthread_self());
  thread.result = thread.call();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &thread.state_behind);
  pthread_setcancelstate(thread.state_behind, nullptr);
  pthread_testcancel();
  return nullptr;
}

void expect_cancelled_behind(const char* name, std::function<int()> call) {
  SCOPED_TRACE(name);
  CancelledThread cancelled{std::move(call)};
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, run_cancelled, &cancelled), 0);
  void* end = nullptr;
  ASSERT_EQ(pthread_join(thread, &end), 0);
  EXPECT_EQ(cancelled.result, PHALANX_OK);
  EXPECT_EQ(cancelled.state_behind, PTHREAD_CANCEL_ENABLE);
  EXPECT_EQ(end, PTHREAD_CANCELED) << "it ends behind the call";
}

TEST_F(LeftCalls, AreNoCancellationPoints) {
  expect_cancelled_behind("seal_file", [this] { return seal(); });
  expect_box_opens();
  fs::remove(back);
  expect_cancelled_behind("unseal_file", [this] {
    return phalanx_unseal_file(box.c_str(), back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr);
  });
  expect_cancelled_behind("verify_container", [this] {
    phalanx_verified verified = PHALANX_VERIFIED_INIT;
    return phalanx_verify_container(box.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, &verified);
  });
  expect_cancelled_behind("container_reader", [this] {
    phalanx_container_reader* reader = nullptr;
    Buffer part(100);
    const int opened = phalanx_container_reader_of_file(&reader, box.c_str(), &identity, 1, nullptr, nullptr, nullptr);
    const int read = phalanx_container_reader_read(reader, 1000, part.data(), part.size());
    phalanx_container_reader_free(reader);
    return opened + read;
  });
  expect_cancelled_behind("new_container_file", [this] {
    phalanx_new_container_file* file = nullptr;
    const std::string other = folder.path_of("other");
    int all = phalanx_new_container_file_new(&file, other.c_str(), 0, "aes-256", &recipient, 1, nullptr, nullptr);
    all += phalanx_new_container_file_write(file, plain.data(), plain.size());
    all += phalanx_new_container_file_finish(file);
    phalanx_new_container_file_free(file);
    phalanx_new_container_file* left = nullptr;
    all += phalanx_new_container_file_new(&left, (other + "2").c_str(), 0, "aes-256", &recipient, 1, nullptr, nullptr);
    phalanx_new_container_file_free(left);
    return all;
  });
  fs::create_directory(folder.path_of("from"));
  fs::copy_file(in, folder.path_of("from/file"));
  expect_cancelled_behind("seal_tree", [this] {
    phalanx_seal_tree_counts sealed = PHALANX_SEAL_TREE_COUNTS_INIT;
    return phalanx_seal_tree(folder.path_of("from").c_str(), folder.path_of("to").c_str(), "aes-256", &recipient, 1, nullptr,
                             nullptr, nullptr, &sealed);
  });
  expect_cancelled_behind("encrypt_in_place", [this] {
    phalanx_in_place_format format = PHALANX_IN_PLACE_FORMAT_INIT;
    const Buffer iv(16, 1);
    format.cipher = "aes-256-ctr";
    format.key = key.data();
    format.key_bytes = key.size();
    format.iv = iv.data();
    format.iv_bytes = iv.size();
    phalanx_in_place_options options = PHALANX_IN_PLACE_OPTIONS_INIT;
    options.allow_unmarked = 1;
    return phalanx_encrypt_in_place(in.c_str(), &format, &options, nullptr, nullptr, nullptr);
  });
}

// A long message, on all threads, and random bytes: neither reads a file.
TEST_F(LeftCalls, ComputeToTheirEnd) {
  expect_cancelled_behind("aead", [this] {
    phalanx_aead* aead = nullptr;
    Buffer sealed(plain.size() + 40);
    int all = phalanx_aead_new(&aead, "xaes-256-gcm", key.data(), key.size(), nullptr, nullptr);
    all += phalanx_aead_seal_with_new_nonce(aead, nullptr, 0, plain.data(), plain.size(), sealed.data(), sealed.size());
    all += phalanx_aead_seal_with_new_nonce(aead, nullptr, 0, plain.data(), 16, sealed.data(),
                                            16 + PHALANX_NONCE_AND_TAG_BYTES);
    phalanx_aead_free(aead);
    return all;
  });
}

// In a child of the test, whose standard error comes back. It ends by the test's exit code, or by what `run` does.
std::string in_process(int& status, const std::function<int()>& run) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(run());
  }
  close(ends[1]);
  std::string told;
  char part[512];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof part)) > 0;) told.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, &status, 0);
  return told;
}

struct ForkingOnce {
  bool child_returns = false;
  pid_t child = -1;
  int status = -1;
};

void fork_once(void* user_data, std::uint64_t /*num_bytes*/) {
  auto& forking = *static_cast<ForkingOnce*>(user_data);
  if (forking.child != -1) return;
  forking.child = fork();
  if (forking.child == 0) {
    if (forking.child_returns) return;
    _exit(5);
  }
  waitpid(forking.child, &forking.status, 0);
}

TEST_F(LeftCalls, GoOnWhereAFunctionOfTheCallersForks) {
  ForkingOnce forking;
  ASSERT_EQ(seal(fork_once, &forking), PHALANX_OK) << phalanx_last_error();
  EXPECT_TRUE(WIFEXITED(forking.status) && WEXITSTATUS(forking.status) == 5) << forking.status;
  expect_box_opens();
}

TEST_F(LeftCalls, EndAChildThatComesBack) {
  if (!has_threads_of_a_child()) GTEST_SKIP() << no_threads_of_a_child;
  int status = -1;
  const std::string told = in_process(status, [this] {
    ForkingOnce forking{.child_returns = true};
    const int result = seal(fork_once, &forking);
    if (forking.child == 0) return 9;  // it went on
    return result == PHALANX_OK && WIFEXITED(forking.status) ? WEXITSTATUS(forking.status) : 8;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_NE(told.find("forked within a callback came back"), told.npos) << told;
  expect_box_opens();
  EXPECT_FALSE(fs::exists(box + ".phalanx-partial"));
}

void leave_by_exit(void* /*user_data*/, std::uint64_t /*num_bytes*/) { std::exit(3); }

TEST_F(LeftCalls, LeaveWhatAKillLeavesWhereTheProcessEndsWithin) {
  if (!has_threads_of_a_child()) GTEST_SKIP() << no_threads_of_a_child;
  int status = -1;
  static_cast<void>(in_process(status, [this] { return seal(leave_by_exit); }));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
  EXPECT_FALSE(fs::exists(box));
  EXPECT_TRUE(fs::exists(box + ".phalanx-partial"));
  ASSERT_EQ(seal(), PHALANX_OK) << phalanx_last_error();
  expect_box_opens();
}

// The last error while a thread or the process ends.

constexpr const char* first_name = "no cipher has such a long name that its sentence is on the heap";
constexpr const char* second_name = "no cipher has this other long name either, which is longer than it";
int late_ends[2];

bool fails_with(const char* name) {
  phalanx_facts facts = PHALANX_FACTS_INIT;
  return phalanx_facts_of(name, &facts) == PHALANX_USAGE &&
         std::string(phalanx_last_error()).find(name) != std::string::npos;
}

// Takes what was freed, so that who reads it reads this.
void use_freed_memory() {
  for (std::size_t size = 16; size < 400; size += 16) {
    for (int i = 0; i < 8; ++i) std::memset(std::malloc(size), 'x', size);  // NOLINT: it stays taken
  }
}

void tell_late(void* /*value*/) {
  use_freed_memory();
  const std::string kept = phalanx_last_error();
  const auto names = [&kept](const char* name) { return kept.find(name) != std::string::npos; };
  const bool is_kept = kept.empty() || names(first_name) || names(second_name);
  const bool fails_again = fails_with(second_name) && fails_with(first_name) && fails_with(second_name);
  const char told = is_kept && fails_again ? '1' : '0';
  if (write(late_ends[1], &told, 1) != 1) std::abort();
}
void tell_at_exit() { tell_late(nullptr); }

TEST(LastErrorInC, IsThereWhileTheProcessEnds) {
  ASSERT_EQ(pipe(late_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::atexit(tell_at_exit);
    std::exit(fails_with(first_name) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(late_ends[1]);
  char told = ' ';
  EXPECT_EQ(read(late_ends[0], &told, 1), 1);
  EXPECT_EQ(told, '1');
}

pthread_key_t before_ours, behind_ours;

void* fail_and_end(void* /*argument*/) {
  pthread_setspecific(before_ours, &before_ours);
  if (!fails_with(first_name)) return &before_ours;
  pthread_setspecific(behind_ours, &behind_ours);
  return nullptr;
}

TEST(LastErrorInC, IsThereWhileAThreadEnds) {
  ASSERT_EQ(pipe(late_ends), 0);
  ASSERT_EQ(pthread_key_create(&before_ours, tell_late), 0);
  ASSERT_TRUE(fails_with(first_name));  // which makes the library's key
  ASSERT_EQ(pthread_key_create(&behind_ours, tell_late), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, fail_and_end, nullptr), 0);
  void* end = nullptr;
  ASSERT_EQ(pthread_join(thread, &end), 0);
  EXPECT_EQ(end, nullptr);
  char told[2] = {};
  EXPECT_EQ(read(late_ends[0], told, 2), 2);
  EXPECT_EQ(std::string(told, 2), "11");
  pthread_key_delete(before_ours);
  pthread_key_delete(behind_ours);
}

TEST(LastErrorInC, IsEmptyWhereNothingFailed) {
  std::string told = "nothing";
  std::uint64_t offset = 0;
  std::thread([&] {
    told = std::string(phalanx_last_error()) + phalanx_last_error_name();
    offset = phalanx_last_error_offset();
  }).join();
  EXPECT_EQ(told, "");
  EXPECT_EQ(offset, PHALANX_NO_OFFSET);
}

}  // namespace
}  // namespace phalanx::test
