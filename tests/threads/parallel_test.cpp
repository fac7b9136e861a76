// Loops on several threads (engine/threads/threads.hpp): every range once, failures, loops within loops and from many threads
// at once; and the system that has no more threads, at each of them: then there are fewer, and the bytes are the same. This
// program says that the machine has eight processors, so that there are threads to make.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <phalanx/phalanx.hpp>
#include <phalanx/threads.hpp>
#include <thread>
#include <vector>

#include "engine/threads/threads.hpp"
#include "tests/threads_of_a_child.hpp"

namespace {

constexpr int num_processors = 8;
std::atomic<int> threads_until_failure{-1};  // below 0: none fails
std::atomic<int> failures_in_a_row{0};
std::atomic<int> threads_made{0};

bool fails_now() {
  if (threads_until_failure < 0) return false;
  if (threads_until_failure.fetch_sub(1) > 0) return false;
  threads_until_failure = failures_in_a_row-- > 1 ? 0 : -1;
  return true;
}

}  // namespace

extern "C" int sched_getaffinity(pid_t /*thread*/, std::size_t size, cpu_set_t* mask) noexcept {
  CPU_ZERO_S(size, mask);
  for (int i = 0; i < num_processors; ++i) CPU_SET_S(i, size, mask);
  return 0;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (fails_now()) return EAGAIN;
  ++threads_made;
  return create(thread, attributes, start, argument);
}

namespace phalanx {
namespace {

using Counts = std::vector<std::atomic<int>>;

bool all_are_one(const Counts& counts) {
  return std::ranges::all_of(counts, [](const std::atomic<int>& count) { return count == 1; });
}

// Runs the test's code in a process of its own, which has made no thread yet; it says whether all was well.
template <class Run>
bool is_well_in_a_new_process(const Run& run) {
  const pid_t child = fork();
  if (child == 0) _exit(run() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A message that is cut for all threads, on as many as there are.
bool crypts_right() {
  const std::vector<std::uint8_t> key(16, 1);
  const std::vector<std::uint8_t> iv(16, 2);
  const std::vector<std::uint8_t> in(std::size_t{3} << 20, 3);
  std::vector<std::uint8_t> out(in.size());
  std::vector<std::uint8_t> expected(in.size());
  Cipher("aes-128-ctr", key, {"cpu", 1}).encrypt(iv, in, expected);
  const Cipher cipher("aes-128-ctr", key, {"cpu", 0});
  for (int i = 0; i < 3; ++i) {  // later calls make the threads that an earlier one could not
    std::ranges::fill(out, std::uint8_t{0});
    cipher.encrypt(iv, in, out);
    if (out != expected) return false;
  }
  return true;
}

TEST(Threads, GoOnWithFewerWhereTheSystemHasNoMore) {
  for (int num_made = 0; num_made < num_processors; ++num_made) {
    for (const int num_failures : {1, 1000}) {
      EXPECT_TRUE(is_well_in_a_new_process([&] {
        threads_until_failure = num_made;
        failures_in_a_row = num_failures;
        return crypts_right() && (num_failures == 1 || threads_made == std::min(num_made, num_processors - 1));
      })) << num_failures
          << " failures after " << num_made << " threads";
    }
  }
}

TEST(Threads, AreMadeOnce) {
  EXPECT_TRUE(is_well_in_a_new_process([] { return crypts_right() && threads_made == num_processors - 1; }));
}

TEST(Threads, AreNoMoreThanTheLimit) {
  EXPECT_TRUE(is_well_in_a_new_process([] {
    limit_threads(1);
    return crypts_right() && threads_made == 0;
  }));
  for (const int most : {1, 3, 0}) {
    limit_threads(most);
    std::atomic<int> at_work{0};
    std::atomic<bool> fine{true};
    run_parallel(0, 1000, [&](std::size_t /*first*/, std::size_t /*last*/) {
      if (++at_work > (most == 0 ? num_processors : most)) fine = false;
      --at_work;
    });
    EXPECT_TRUE(fine) << most;
  }
}

// Every range is one body's, no range is longer than the grain, and no more threads than asked for are at work.
TEST(Threads, ShareEveryRangeOnce) {
  for (const int num_threads : {0, 1, 2, 3, 100}) {
    for (const std::size_t count : {0, 1, 2, 7, 1000}) {
      for (const std::size_t grain : {1, 3, 1000}) {
        Counts counts(count);
        std::atomic<int> at_work{0};
        std::atomic<bool> fine{true};
        run_parallel(num_threads, count, grain, [&](std::size_t first, std::size_t last) {
          if (++at_work > num_threads && num_threads != 0) fine = false;
          if (num_threads != 1 && count > 1 && last - first > grain) fine = false;
          for (std::size_t i = first; i < last; ++i) ++counts[i];
          --at_work;
        });
        EXPECT_TRUE(fine && all_are_one(counts)) << num_threads << " threads, " << count << " by " << grain;
      }
    }
  }
}

TEST(Threads, ThrowWhatABodyHasThrown) {
  for (const int num_threads : {0, 1, 2}) {
    std::atomic<int> at_work{0};
    try {
      run_parallel(num_threads, 100, [&](std::size_t first, std::size_t last) {
        ++at_work;
        const bool fails = first <= 40 && 40 < last;
        --at_work;
        if (fails) throw Error(ErrorCode::truncated, "number 40");
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "number 40");
    }
    EXPECT_EQ(at_work, 0) << "it returns when all have ended";
  }
}

TEST(Threads, RunLoopsWithinLoops) {
  Counts counts(20 * 30 * 5);
  run_parallel(0, 20, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      run_parallel(0, 30, [&, i](std::size_t inner_first, std::size_t inner_last) {
        for (std::size_t j = inner_first; j < inner_last; ++j) {
          run_parallel(3, 5, [&, j](std::size_t k, std::size_t end) {
            for (; k < end; ++k) ++counts[(i * 30 + j) * 5 + k];
          });
        }
      });
    }
  });
  EXPECT_TRUE(all_are_one(counts));
}

TEST(Threads, ServeManyCallersAtOnce) {
  constexpr std::size_t num_callers = 6;
  constexpr std::size_t num_loops = 300;
  Counts counts(num_callers * num_loops * 16);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < num_callers; ++caller) {
    callers.emplace_back([&, caller] {
      for (std::size_t loop = 0; loop < num_loops; ++loop) {
        run_parallel(0, 16, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) ++counts[(caller * num_loops + loop) * 16 + i];
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(all_are_one(counts));
}

// A child has none of its parent's threads, and makes its own.
TEST(Threads, AreMadeAnewAfterAFork) {
  if (!test::has_threads_of_a_child()) GTEST_SKIP() << test::no_threads_of_a_child;
  Counts counts(100);
  run_parallel(0, 100, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++counts[i];
  });
  ASSERT_TRUE(all_are_one(counts));
  threads_made = 0;
  EXPECT_TRUE(is_well_in_a_new_process([] { return crypts_right() && threads_made == num_processors - 1; }));
}

}  // namespace
}  // namespace phalanx
