// The queue of a batch: each message once, the longest first, however many take from it.
#include "engine/engines/cpu/message_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace phalanx::test {
namespace {

using Lengths = std::vector<std::size_t>;

std::vector<BlockMessage> messages_of(const Lengths& lengths) {
  std::vector<BlockMessage> messages;
  for (const std::size_t num_blocks : lengths) {
    messages.push_back({.key = {}, .iv = nullptr, .in = nullptr, .out = nullptr, .num_blocks = num_blocks});
  }
  return messages;
}

// Lengths from one block to a thousand, and a few that are very long, in no order.
Lengths mixed_lengths(std::size_t num_messages) {
  Lengths lengths;
  for (std::size_t i = 0; i < num_messages; ++i) lengths.push_back(i % 97 == 0 ? (i + 1) << 20 : (i * 7919) % 1000 + 1);
  return lengths;
}

std::vector<const BlockMessage*> take_all(MessageQueue::Taker& taker) {
  std::vector<const BlockMessage*> taken;
  while (const BlockMessage* message = taker.take()) taken.push_back(message);
  return taken;
}

void expect_each_once(const std::vector<BlockMessage>& messages, std::vector<const BlockMessage*> taken) {
  std::ranges::sort(taken);
  ASSERT_EQ(taken.size(), messages.size());
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], &messages[i]);
}

TEST(MessageQueue, GivesTheLongestFirstButForASixteenth) {
  const Lengths lengths = mixed_lengths(500);
  const std::vector<BlockMessage> messages = messages_of(lengths);
  MessageQueue queue(messages);
  MessageQueue::Taker taker(queue, 500);
  const std::vector<const BlockMessage*> taken = take_all(taker);
  expect_each_once(messages, taken);
  for (std::size_t i = 1; i < taken.size(); ++i) {
    EXPECT_LE(taken[i]->num_blocks, taken[i - 1]->num_blocks + taken[i - 1]->num_blocks / 16) << i;
  }
  EXPECT_EQ(taken.front()->num_blocks, *std::ranges::max_element(lengths));
  EXPECT_EQ(taken.back()->num_blocks, *std::ranges::min_element(lengths));
}

TEST(MessageQueue, LeavesEqualLengthsAsTheyAre) {
  for (const Lengths& lengths : {Lengths(50, 7), Lengths{9, 3, 9, 3, 9, 3}}) {
    const std::vector<BlockMessage> messages = messages_of(lengths);
    MessageQueue queue(messages);
    MessageQueue::Taker taker(queue, 1);
    const std::vector<const BlockMessage*> taken = take_all(taker);
    expect_each_once(messages, taken);
    for (std::size_t i = 1; i < taken.size(); ++i) {
      if (taken[i]->num_blocks != taken[i - 1]->num_blocks) continue;
      EXPECT_LT(taken[i - 1], taken[i]);
    }
  }
}

TEST(MessageQueue, GivesEachMessageOnceToTakersInTurn) {
  for (const std::size_t num_messages : {0U, 1U, 2U, 9U, 10U, 11U, 100U}) {
    for (const std::size_t at_once : {1U, 3U, 64U}) {
      const std::vector<BlockMessage> messages = messages_of(mixed_lengths(num_messages));
      MessageQueue queue(messages);
      EXPECT_EQ(queue.num_messages(), num_messages);
      MessageQueue::Taker first(queue, at_once), second(queue, at_once);
      std::vector<const BlockMessage*> taken;
      for (bool any = true; any;) {
        any = false;
        for (MessageQueue::Taker* taker : {&first, &second, &second}) {
          const BlockMessage* const message = taker->take();
          any = any || message != nullptr;
          if (message != nullptr) taken.push_back(message);
        }
      }
      expect_each_once(messages, taken);
      EXPECT_EQ(first.take(), nullptr) << "the end stays the end";
    }
  }
}

TEST(MessageQueue, GivesEachMessageOnceToSeveralThreads) {
  const std::vector<BlockMessage> messages = messages_of(mixed_lengths(5000));
  MessageQueue queue(messages);
  std::vector<std::vector<const BlockMessage*>> taken(4);
  std::vector<std::thread> threads;
  for (auto& own : taken) {
    threads.emplace_back([&queue, &own] {
      MessageQueue::Taker taker(queue, 3);
      own = take_all(taker);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<const BlockMessage*> all;
  for (const auto& own : taken) all.insert(all.end(), own.begin(), own.end());
  expect_each_once(messages, all);
}

}  // namespace
}  // namespace phalanx::test
