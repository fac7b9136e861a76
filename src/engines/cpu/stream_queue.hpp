// The streams of a batch in the order in which lanes take them.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "engines/engine.hpp"

namespace phalanx {

/// Hands out streams to the lanes of several threads, longest first: what a lane takes when its message ends is never longer than
/// that, so at the end of a batch lanes run dry together.
class StreamQueue {
 public:
  explicit StreamQueue(std::span<const Stream> streams);

  [[nodiscard]] std::size_t num_streams() const { return streams_.size(); }

  /// One thread's share of the queue: streams are taken from it in chunks, which threads seldom have to wait for.
  class Taker {
   public:
    Taker(StreamQueue& queue, std::size_t chunk) : queue_(queue), chunk_(chunk) {}
    /// The next stream; nullptr at the end.
    const Stream* take();

   private:
    StreamQueue& queue_;
    std::size_t chunk_;
    std::size_t next_ = 0;
    std::size_t end_ = 0;
  };

 private:
  void sort_by_length(const std::vector<std::size_t>& streams_in_class);

  std::span<const Stream> streams_;
  std::vector<std::size_t> order_;  ///< empty: as they are
  std::atomic<std::size_t> next_{0};
};

}  // namespace phalanx
