#include "io/pipeline.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace phalanx {
namespace {

struct Slot {
  SecretBytes memory;
  Piece piece;
};

/// What is done to one piece; false: there are no more (of the first step only).
using Step = std::function<bool(Slot&)>;

// Steps that each take the pieces in order, one at a time, while other steps are at work on others. Any number of threads
// shares them, one is enough: each takes the last step that can go on, so that what was begun is finished first.
class Steps {
 public:
  explicit Steps(std::vector<Step> steps) : steps_(std::move(steps)), num_done_(steps_.size()), is_busy_(steps_.size()) {}

  /// Takes all pieces through all steps. What a step throws ends all of them.
  void run(std::size_t num_threads) {
    std::vector<std::thread> threads;
    try {
      while (threads.size() + 1 < num_threads) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: fewer do as well.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::size_t step = steps_.size();
      changed_.wait(lock, [&] { return is_over() || (step = find_ready()) != steps_.size(); });
      if (is_over()) return;
      is_busy_[step] = true;
      Slot& slot = slots_[num_done_[step] % slots_.size()];
      lock.unlock();
      bool done = false;
      std::exception_ptr failure;
      try {
        done = steps_[step](slot);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      is_busy_[step] = false;
      if (done) ++num_done_[step];
      if (!done) has_ended_ = true;
      if (failure && !failure_) failure_ = failure;
      changed_.notify_all();
    }
  }

  [[nodiscard]] bool is_over() const { return failure_ != nullptr || (has_ended_ && num_done_.back() == num_done_.front()); }

  // A slot is free again when its piece has gone through the last step.
  [[nodiscard]] bool is_ready(std::size_t step) const {
    if (is_busy_[step]) return false;
    if (step != 0) return num_done_[step] < num_done_[step - 1];
    return !has_ended_ && num_done_.front() - num_done_.back() < slots_.size();
  }

  [[nodiscard]] std::size_t find_ready() const {
    for (std::size_t step = steps_.size(); step-- > 0;) {
      if (is_ready(step)) return step;
    }
    return steps_.size();
  }

  std::vector<Step> steps_;
  std::array<Slot, pieces_in_flight> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> num_done_;  // pieces, by step
  std::vector<bool> is_busy_;
  bool has_ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::uint64_t run_pipeline(PieceReader& reader, std::span<PieceStage* const> stages, ByteSink& sink, Progress& progress) {
  std::uint64_t total_bytes = 0;
  std::vector<Step> steps;
  steps.emplace_back([&](Slot& slot) {
    const std::size_t buffer_bytes = reader.next_buffer_bytes();
    if (buffer_bytes == 0) return false;
    if (slot.memory.size() < buffer_bytes) slot.memory = SecretBytes(buffer_bytes);
    slot.piece.buffer = slot.memory;
    return reader.next(slot.piece);
  });
  for (PieceStage* stage : stages) {
    steps.emplace_back([stage](Slot& slot) {
      stage->process(slot.piece);
      return true;
    });
  }
  steps.emplace_back([&](Slot& slot) {
    const Piece& piece = slot.piece;
    sink.write(piece.buffer.first(piece.size));
    total_bytes += piece.read_bytes;
    progress.add(piece.read_bytes);
    return true;
  });
  // Of one short piece, threads would do one step after the other too.
  const bool is_alone = reader.next_buffer_bytes() != 0 && reader.is_short();
  const std::size_t num_threads = is_alone ? 1 : steps.size();
  Steps(std::move(steps)).run(num_threads);
  sink.finish();
  return total_bytes;
}

}  // namespace phalanx
