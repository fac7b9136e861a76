// What the library is in a process that has other work: memory for keys, random bytes, whose threads compute.
#include <gtest/gtest.h>
#include <phalanx/phalanx.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <phalanx/phalanx.hpp>
#include <phalanx/secret.hpp>
#include <phalanx/threads.hpp>
#include <set>
#include <thread>
#include <vector>

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

// Messages that are cut for all threads, against one thread's.
void expect_right_bytes() {
  const Buffer key(16, 1), iv(16, 2), in(std::size_t{5} << 20, 3);
  Buffer out(in.size()), expected(in.size());
  Cipher("aes-128-ctr", key, {"cpu", 1}).encrypt(iv, in, expected);
  Cipher("aes-128-ctr", key, {"cpu", 4}).encrypt(iv, in, out);
  EXPECT_EQ(out, expected);
}

TEST(Secrets, OwnBytesThatMoveAndAreZeroAtFirst) {
  Secret empty;
  EXPECT_EQ(empty.size(), 0U);
  Secret zeros(33);
  EXPECT_TRUE(std::ranges::all_of(Bytes(zeros), [](std::uint8_t byte) { return byte == 0; }));
  const Buffer bytes = {1, 2, 3};
  Secret copy{Bytes(bytes)};
  EXPECT_TRUE(equal_in_constant_time(copy, bytes));
  copy.data()[2] = 4;
  EXPECT_FALSE(equal_in_constant_time(copy, bytes));
  const std::uint8_t* const place = copy.data();
  const Secret moved = std::move(copy);
  EXPECT_EQ(moved.data(), place);
  EXPECT_EQ(moved.size(), 3U);
}

TEST(Secrets, ComeFromTheGenerator) {
  std::set<Buffer> seen;
  for (int i = 0; i < 100; ++i) {
    const Secret key = random_secret(32);
    seen.insert(Buffer(key.data(), key.data() + key.size()));
    Buffer nonce(24);
    random_bytes(nonce);
    seen.insert(nonce);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(Secrets, AreComparedByAllTheirBytes) {
  const Buffer one(40, 7);
  EXPECT_TRUE(equal_in_constant_time(one, one) && equal_in_constant_time({}, {}));
  EXPECT_FALSE(equal_in_constant_time(one, Bytes(one).first(39)));
  for (std::size_t i = 0; i < one.size(); ++i) {
    Buffer other = one;
    other[i] ^= 1;
    EXPECT_FALSE(equal_in_constant_time(one, other)) << i;
  }
}

TEST(Secrets, Wiping) {
  Buffer bytes(100, 9);
  wipe_memory(MutableBytes(bytes).first(50));
  EXPECT_EQ(std::ranges::count(bytes, std::uint8_t{0}), 50);
  phalanx_wipe(bytes.data(), bytes.size());
  EXPECT_EQ(std::ranges::count(bytes, std::uint8_t{0}), 100);
  phalanx_wipe(nullptr, 0);
}

TEST(Secrets, InC) {
  phalanx_secret* secret = nullptr;
  std::uint8_t* data = nullptr;
  ASSERT_EQ(phalanx_secret_new(&secret, 32, &data), PHALANX_OK);
  EXPECT_EQ(phalanx_random_bytes(data, 32), PHALANX_OK);
  EXPECT_FALSE(std::all_of(data, data + 32, [](std::uint8_t byte) { return byte == 0; }));
  phalanx_secret_free(secret);
  phalanx_secret_free(nullptr);
  EXPECT_EQ(phalanx_secret_new(nullptr, 32, &data), PHALANX_USAGE);
  EXPECT_EQ(phalanx_secret_new(&secret, 32, nullptr), PHALANX_USAGE);
  EXPECT_EQ(phalanx_random_bytes(nullptr, 1), PHALANX_USAGE);
  EXPECT_EQ(phalanx_random_bytes(nullptr, 0), PHALANX_OK);
}

// An executor of two threads that runs its tasks in any order, and counts them.
class TwoThreads {
 public:
  TwoThreads() {
    for (std::thread& thread : threads_) thread = std::thread([this] { run(); });
  }
  ~TwoThreads() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++num_added;
    changed_.notify_one();
  }

  std::atomic<int> num_added{0};

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_over_ = false;
  std::thread threads_[2];
};

// What a test sets is gone when it ends.
class Executors : public testing::Test {
 protected:
  void TearDown() override {
    set_executor({});
    limit_threads(0);
  }
};

TEST_F(Executors, DoTheWork) {
  TwoThreads threads;
  set_executor([&](std::function<void()> task) { threads.add(std::move(task)); });
  for (int i = 0; i < 20; ++i) expect_right_bytes();
  EXPECT_EQ(threads.num_added, 20 * 3) << "four threads are the caller's and three tasks";
}

TEST_F(Executors, MayRunTasksLateOrNever) {
  std::vector<std::function<void()>> kept;
  set_executor([&](std::function<void()> task) { kept.push_back(std::move(task)); });
  expect_right_bytes();
  EXPECT_EQ(kept.size(), 3U);
  set_executor({});
  for (const auto& task : kept) task();  // the call is over: nothing to do, and nothing of it is touched
  kept.clear();
  expect_right_bytes();
}

TEST_F(Executors, MayRunTasksAtOnceOrRefuseThem) {
  set_executor([](const std::function<void()>& task) { task(); });
  expect_right_bytes();
  set_executor([](const std::function<void()>& /*task*/) { throw std::runtime_error("no room"); });
  expect_right_bytes();
}

TEST_F(Executors, TakeNoMoreThanTheLimit) {
  int num_tasks = 0;
  set_executor([&](const std::function<void()>& /*task*/) { ++num_tasks; });
  limit_threads(2);
  expect_right_bytes();
  EXPECT_EQ(num_tasks, 1);
  limit_threads(1);
  expect_right_bytes();
  EXPECT_EQ(num_tasks, 1);
  EXPECT_THROW(limit_threads(-1), Error);
}

int add_to(void* user_data, void (*task)(void*), void* argument) {
  static_cast<TwoThreads*>(user_data)->add([task, argument] { task(argument); });
  return 0;
}

TEST_F(Executors, InC) {
  TwoThreads threads;
  ASSERT_EQ(phalanx_set_executor(add_to, &threads), PHALANX_OK);
  expect_right_bytes();
  EXPECT_EQ(threads.num_added, 3);
  const phalanx_submit refuse = [](void*, void (*)(void*), void*) { return 1; };
  ASSERT_EQ(phalanx_set_executor(refuse, nullptr), PHALANX_OK);
  expect_right_bytes();
  ASSERT_EQ(phalanx_set_executor(nullptr, nullptr), PHALANX_OK);
  EXPECT_EQ(phalanx_limit_threads(-1), PHALANX_USAGE);
  EXPECT_EQ(phalanx_limit_threads(0), PHALANX_OK);
}

}  // namespace
}  // namespace phalanx
