// The messages of a batch in the order in which lanes take them.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/engines/engine.hpp"

namespace phalanx {

/// Hands out messages to the lanes of several threads, longest first: what a lane takes when its message ends is never
/// longer than that, so at the end of a batch lanes run dry together.
class MessageQueue {
 public:
  explicit MessageQueue(std::span<const BlockMessage> messages);

  [[nodiscard]] std::size_t num_messages() const { return messages_.size(); }

  /// One thread's share of the queue: several messages are taken from it at once, so that threads seldom wait.
  class Taker {
   public:
    Taker(MessageQueue& queue, std::size_t num_at_once) : queue_(queue), num_at_once_(num_at_once) {}
    /// The next message; nullptr at the end.
    const BlockMessage* take();

   private:
    MessageQueue& queue_;
    std::size_t num_at_once_;
    std::size_t next_ = 0;
    std::size_t end_ = 0;
  };

 private:
  void sort_by_length(const std::vector<std::size_t>& messages_in_class);

  std::span<const BlockMessage> messages_;
  std::vector<std::size_t> order_;  ///< empty: as they are
  std::atomic<std::size_t> next_{0};
};

}  // namespace phalanx
