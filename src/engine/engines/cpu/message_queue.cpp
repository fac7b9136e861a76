#include "engine/engines/cpu/message_queue.hpp"

#include <algorithm>
#include <bit>

namespace phalanx {
namespace {

// Lengths of a class differ by a sixteenth at most, so that a counting sort over few classes is as good as an exact one.
// Longer lengths have lower classes.
constexpr std::size_t num_classes = 61 * 16;

std::size_t class_of(std::size_t num_blocks) {
  const auto bits = static_cast<std::size_t>(std::bit_width(num_blocks));
  const std::size_t shift = bits > 5 ? bits - 5 : 0;
  return num_classes - 1 - (shift * 16 + (num_blocks >> shift));
}

}  // namespace

MessageQueue::MessageQueue(std::span<const BlockMessage> messages) : messages_(messages) {
  std::vector<std::size_t> messages_in_class(num_classes);
  for (const BlockMessage& message : messages) ++messages_in_class[class_of(message.num_blocks)];
  const bool sorted = messages.empty() || messages_in_class[class_of(messages[0].num_blocks)] == messages.size();
  if (!sorted) sort_by_length(messages_in_class);
}

void MessageQueue::sort_by_length(const std::vector<std::size_t>& messages_in_class) {
  std::vector<std::size_t> place(num_classes);  // of the next message of each class
  std::size_t sum = 0;
  for (std::size_t i = 0; i < num_classes; ++i) {
    place[i] = sum;
    sum += messages_in_class[i];
  }
  order_.resize(messages_.size());
  for (std::size_t i = 0; i < messages_.size(); ++i) order_[place[class_of(messages_[i].num_blocks)]++] = i;
}

const BlockMessage* MessageQueue::Taker::take() {
  if (next_ == end_) {
    next_ = queue_.next_.fetch_add(num_at_once_, std::memory_order_relaxed);
    end_ = std::min(next_ + num_at_once_, queue_.messages_.size());
    if (next_ >= end_) {
      next_ = end_;
      return nullptr;
    }
  }
  const std::size_t place = next_++;
  return &queue_.messages_[queue_.order_.empty() ? place : queue_.order_[place]];
}

}  // namespace phalanx
