// Loops whose steps several threads take, and which the first failure ends.
#include "engine/threads/shared_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <phalanx/threads.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace phalanx {
namespace {

TEST(SharedLoop, TakesEachStepOnce) {
  for (const std::size_t num_threads : {std::size_t{1}, std::size_t{4}, std::size_t{100}}) {
    std::vector<std::atomic<int>> taken(37);
    SharedLoop loop;
    loop.run(num_threads, taken.size(), [&](std::size_t number) { ++taken[number]; });
    for (const std::atomic<int>& times : taken) EXPECT_EQ(times, 1);
    EXPECT_FALSE(loop.has_failed());
  }
}

TEST(SharedLoop, TakesNothingWhereThereIsNothing) {
  SharedLoop loop;
  loop.run(4, 0, [](std::size_t /*number*/) { FAIL(); });
  EXPECT_FALSE(loop.stop());
}

// An executor would be offered as many tasks as there are threads but one.
TEST(SharedLoop, OffersNoTaskWhereThereIsNothing) {
  std::size_t num_offered = 0;
  set_executor([&](std::function<void()> /*task*/) {
    if (++num_offered > 10) throw std::runtime_error("too many");
  });
  SharedLoop().run(4, 0, [](std::size_t /*number*/) { FAIL(); });
  set_executor({});
  EXPECT_EQ(num_offered, 0U);
}

TEST(SharedLoop, TakesStepsInTheirOrderOnOneThread) {
  std::vector<std::size_t> taken;
  SharedLoop loop;
  loop.run(1, 5, [&](std::size_t number) { taken.push_back(number); });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(SharedLoop, ThrowsWhatTheFirstFailureHasThrown) {
  SharedLoop loop;
  std::vector<std::size_t> taken;
  const auto step = [&](std::size_t number) {
    taken.push_back(number);
    if (number == 2) throw std::runtime_error("the third");
  };
  try {
    loop.run(1, 5, step);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the third");
  }
  EXPECT_TRUE(loop.has_failed());
  EXPECT_EQ(taken.size(), 3U);
}

// The second failure comes while the first one is known already.
TEST(SharedLoop, ForgetsLaterFailures) {
  SharedLoop loop;
  std::atomic<bool> second_runs{false};
  const auto step = [&](std::size_t number) {
    if (number == 0) {
      while (!second_runs) std::this_thread::yield();
      throw std::runtime_error("first");
    }
    second_runs = true;
    while (!loop.has_failed()) std::this_thread::yield();
    throw std::runtime_error("second");
  };
  try {
    loop.run(2, 2, step);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(SharedLoop, LeavesOutWhatComesBehindAStop) {
  SharedLoop loop;
  std::size_t num_taken = 0;
  bool was_any_left = false;
  loop.run(1, 10, [&](std::size_t number) {
    ++num_taken;
    if (number == 3) was_any_left = loop.stop();
  });
  EXPECT_EQ(num_taken, 4U);
  EXPECT_TRUE(was_any_left);
  EXPECT_FALSE(loop.stop());
  EXPECT_FALSE(loop.has_failed());
}

TEST(SharedLoop, RunsAgainAfterAFailure) {
  SharedLoop loop;
  EXPECT_THROW(loop.run(2, 3, [](std::size_t /*number*/) { throw std::runtime_error("each"); }), std::runtime_error);
  std::atomic<int> num_taken{0};
  loop.run(2, 3, [&](std::size_t /*number*/) { ++num_taken; });
  EXPECT_EQ(num_taken, 3);
  EXPECT_FALSE(loop.has_failed());
}

}  // namespace
}  // namespace phalanx
