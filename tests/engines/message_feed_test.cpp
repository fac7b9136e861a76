// Calls of many threads whose messages go to GPUs together: each message is worked on once, and a failure reaches those
// whose messages were being worked on.
#include "engine/engines/cuda/message_feed.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <random>
#include <stdexcept>
#include <thread>

namespace phalanx {
namespace {

// Messages of one call, whose `num_bytes` count how often each was worked on.
struct Call {
  std::vector<AeadMessage> messages;
  std::vector<AeadMessage*> pointers;

  explicit Call(std::size_t count) : messages(count) {
    for (AeadMessage& message : messages) pointers.push_back(&message);
  }
  [[nodiscard]] bool is_done_once() const {
    return std::ranges::all_of(messages, [](const AeadMessage& message) { return message.num_bytes == 1; });
  }
};

auto at_most(std::size_t count) {
  return [count, taken = std::size_t{0}](const AeadMessage& /*message*/) mutable { return taken++ < count; };
}

// As a GPU does it: up to three shares on their way.
void work_on(MessageFeed& feed, std::size_t share_messages) {
  std::deque<MessageFeed::Share> on_their_way;
  for (;;) {
    while (on_their_way.size() < 3) {
      auto accept = at_most(share_messages);
      MessageFeed::Share share = feed.take([&](const AeadMessage& message) { return accept(message); });
      if (share.messages().empty()) break;
      on_their_way.push_back(std::move(share));
    }
    if (on_their_way.empty()) return;
    for (AeadMessage* message : on_their_way.front().messages()) ++message->num_bytes;
    feed.finish(on_their_way.front());
    on_their_way.pop_front();
  }
}

void call_from_threads(MessageFeed& feed, const MessageFeed::Work& work) {
  std::vector<std::thread> threads;
  std::atomic<int> num_right{0};
  constexpr int num_threads = 8, num_calls = 60;
  for (unsigned i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(i);
      for (int number = 0; number < num_calls; ++number) {
        Call call(random() % 200);
        feed.run(call.pointers, work);
        num_right += call.is_done_once() ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right, num_threads * num_calls);
}

TEST(MessageFeed, EveryMessageOfManyThreadsIsDoneOnce) {
  MessageFeed feed;
  for (const std::size_t share_messages : {1U, 7U, 64U, 5000U})
    call_from_threads(feed, [&](MessageFeed& all) { work_on(all, share_messages); });
}

TEST(MessageFeed, SeveralGpusShareIt) {
  MessageFeed feed;
  call_from_threads(feed, [](MessageFeed& all) {
    std::thread other([&] { work_on(all, 16); });
    work_on(all, 11);
    other.join();
  });
}

TEST(MessageFeed, ACallOfMoreThanATurnIsDone) {
  MessageFeed feed;
  Call call(20'000);
  std::size_t num_turns = 0;
  feed.run(call.pointers, [&](MessageFeed& all) {
    ++num_turns;
    work_on(all, 100);
  });
  EXPECT_TRUE(call.is_done_once());
  EXPECT_GT(num_turns, 1U);
}

TEST(MessageFeed, AFailureReachesTheCallAndTheNextOneIsDone) {
  MessageFeed feed;
  Call broken(500);
  const auto fail = [](MessageFeed& all) {
    auto accept = at_most(100);
    const MessageFeed::Share share = all.take([&](const AeadMessage& message) { return accept(message); });
    EXPECT_EQ(share.messages().size(), 100U);
    throw std::runtime_error("the GPU is gone");
  };
  EXPECT_THROW(feed.run(broken.pointers, fail), std::runtime_error);
  Call next(500);
  feed.run(next.pointers, [](MessageFeed& all) { work_on(all, 64); });
  EXPECT_TRUE(next.is_done_once()) << "and not with what is left of the broken one";
}

TEST(MessageFeed, FailuresOfManyThreadsReachWhomTheyConcern) {
  MessageFeed feed;
  std::atomic<unsigned> num_works{0};
  std::atomic<int> num_wrong{0};
  const auto fail_at_times = [&](MessageFeed& all) {
    if (num_works++ % 3 != 0) return work_on(all, 30);
    auto accept = at_most(70);
    static_cast<void>(all.take([&](const AeadMessage& message) { return accept(message); }));
    throw std::runtime_error("the GPU is gone");
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int number = 0; number < 50; ++number) {
        Call call(40);
        try {
          feed.run(call.pointers, fail_at_times);
          num_wrong += call.is_done_once() ? 0 : 1;
        } catch (const std::runtime_error&) {
          num_wrong += call.is_done_once() ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

}  // namespace
}  // namespace phalanx
