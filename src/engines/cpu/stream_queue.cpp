#include "engines/cpu/stream_queue.hpp"

#include <algorithm>
#include <bit>

namespace phalanx {
namespace {

/// Lengths of a class differ by a sixteenth at most, so that a counting sort over few classes is as good as an exact one. Longer
/// lengths have lower classes.
constexpr std::size_t num_classes = 61 * 16;

std::size_t class_of(std::size_t num_blocks) {
  const auto bits = static_cast<std::size_t>(std::bit_width(num_blocks));
  const std::size_t shift = bits > 5 ? bits - 5 : 0;
  return num_classes - 1 - (shift * 16 + (num_blocks >> shift));
}

}  // namespace

StreamQueue::StreamQueue(std::span<const Stream> streams) : streams_(streams) {
  std::vector<std::size_t> streams_in_class(num_classes);
  for (const Stream& stream : streams) ++streams_in_class[class_of(stream.num_blocks)];
  const bool sorted = streams.empty() || streams_in_class[class_of(streams[0].num_blocks)] == streams.size();
  if (!sorted) sort_by_length(streams_in_class);
}

void StreamQueue::sort_by_length(const std::vector<std::size_t>& streams_in_class) {
  std::vector<std::size_t> place(num_classes);  // of the next stream of each class
  std::size_t sum = 0;
  for (std::size_t i = 0; i < num_classes; ++i) {
    place[i] = sum;
    sum += streams_in_class[i];
  }
  order_.resize(streams_.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) order_[place[class_of(streams_[i].num_blocks)]++] = i;
}

const Stream* StreamQueue::Taker::take() {
  if (next_ == end_) {
    next_ = queue_.next_.fetch_add(chunk_, std::memory_order_relaxed);
    end_ = std::min(next_ + chunk_, queue_.streams_.size());
    if (next_ >= end_) {
      next_ = end_;
      return nullptr;
    }
  }
  const std::size_t place = next_++;
  return &queue_.streams_[queue_.order_.empty() ? place : queue_.order_[place]];
}

}  // namespace phalanx
