// The pool of helpers by itself (engine/threads/thread_pool.hpp), with more threads than this machine has processors. What
// callers and helpers write has no lock and is not atomic: ThreadSanitizer sees whether the pool alone puts it in order.
#include "engine/threads/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

namespace phalanx {
namespace {

constexpr std::size_t num_helpers = 7;

// Its threads never end, and so it stays.
ThreadPool& pool() {
  static ThreadPool& made = *new ThreadPool(num_helpers);
  return made;
}

// Takes one number after another until there is none left, on as many threads as come.
std::vector<std::size_t> squares_of(const std::vector<std::size_t>& numbers, std::size_t most_helpers) {
  std::vector<std::size_t> squares(numbers.size());
  std::atomic<std::size_t> next{0};
  pool().share(most_helpers, [&] {
    for (std::size_t i = next++; i < numbers.size(); i = next++) squares[i] = numbers[i] * numbers[i];
  });
  return squares;
}

bool are_squares(const std::vector<std::size_t>& squares) {
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (squares[i] != i * i) return false;
  }
  return true;
}

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

TEST(ThreadPool, HelpersSeeWhatTheCallerWroteAndTheReverse) {
  for (std::size_t loop = 0; loop < 500; ++loop) {
    EXPECT_TRUE(are_squares(squares_of(numbers_below(loop % 50), loop % (num_helpers + 2)))) << loop;
  }
}

TEST(ThreadPool, NobodyIsAtWorkWhenACallHasReturned) {
  for (std::size_t loop = 0; loop < 500; ++loop) {
    std::atomic<std::size_t> at_work{0}, num_works{0};
    pool().share(num_helpers, [&] {
      ++at_work;
      ++num_works;
      --at_work;
    });
    EXPECT_EQ(at_work, 0U);
    EXPECT_TRUE(num_works >= 1 && num_works <= num_helpers + 1) << num_works;
  }
}

// More than the pool has places for: those that find none work alone.
TEST(ThreadPool, ServesMoreCallersThanItHasPlacesFor) {
  constexpr std::size_t num_callers = 20;
  std::vector<std::thread> callers;
  std::atomic<std::size_t> num_right{0};
  for (std::size_t caller = 0; caller < num_callers; ++caller) {
    callers.emplace_back([&] {
      for (std::size_t loop = 0; loop < 50; ++loop)
        num_right += are_squares(squares_of(numbers_below(30), num_helpers)) ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(num_right, num_callers * 50);
}

TEST(ThreadPool, SharesWithinShares) {
  std::atomic<std::size_t> num_right{0}, next{0};
  pool().share(num_helpers, [&] {
    while (next++ < 100) num_right += are_squares(squares_of(numbers_below(30), num_helpers)) ? 1 : 0;
  });
  EXPECT_EQ(num_right, 100U);
}

}  // namespace
}  // namespace phalanx
