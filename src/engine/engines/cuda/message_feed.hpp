// Lets the messages of many threads' calls go to GPUs together.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/engines/keyed_aead.hpp"

namespace phalanx {

/// A few messages leave most lanes of a GPU idle, and it takes them some time to get there and back. So one of the calling
/// threads works for all: it takes messages in their order, whosever they are, and goes on as long as more come. Each call
/// returns as soon as its own are done.
class MessageFeed {
  struct Call {
    std::span<AeadMessage* const> messages;
    std::size_t num_taken = 0, num_done = 0;
    std::exception_ptr failure{};
    std::condition_variable changed{};

    [[nodiscard]] bool is_over() const { return num_done == messages.size() || failure != nullptr; }
  };

 public:
  /// Messages that were taken to be worked on, of one call or of several.
  class Share {
   public:
    [[nodiscard]] std::span<AeadMessage* const> messages() const { return messages_; }

   private:
    friend class MessageFeed;
    struct Part {
      Call* call;
      std::size_t num_messages;
    };
    std::vector<AeadMessage*> messages_;
    std::vector<Part> parts_;
  };

  /// Takes shares until one is empty, and finishes each; on any number of threads.
  using Work = std::function<void(MessageFeed&)>;

  /// Returns when all messages are done, by this thread or by another. Every call brings the same work. Throws what the work
  /// throws, to all calls of whose messages some were taken and not all done.
  void run(std::span<AeadMessage* const> messages, const Work& work) {
    if (messages.empty()) return;
    Call call{messages};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&call);
    while (!call.is_over()) {
      if (is_at_work_) {
        call.changed.wait(lock);
      } else {
        work_for_all(lock, work);
      }
    }
    if (call.failure) std::rethrow_exception(call.failure);
  }

  /// The next messages in their order, as long as accept(message). None where none wait, or this turn is long enough.
  template <class Accept>
  [[nodiscard]] Share take(const Accept& accept) {
    const std::lock_guard lock(mutex_);
    Share share;
    while (!waiting_.empty() && num_left_ != 0) {
      Call& call = *waiting_.front();
      const std::size_t before = call.num_taken;
      while (call.num_taken < call.messages.size() && accept(std::as_const(*call.messages[call.num_taken])))
        share.messages_.push_back(call.messages[call.num_taken++]);
      const std::size_t num_messages = call.num_taken - before;
      if (num_messages != 0) share.parts_.push_back({&call, num_messages});
      if (num_messages != 0 && before == 0) begun_.push_back(&call);
      num_left_ -= std::min(num_left_, num_messages);
      if (call.num_taken < call.messages.size()) break;
      waiting_.pop_front();
    }
    return share;
  }

  /// All messages of the share are done.
  void finish(const Share& share) {
    const std::lock_guard lock(mutex_);
    for (const auto& [call, num_messages] : share.parts_) {
      call->num_done += num_messages;
      if (call->is_over()) end(*call);
    }
  }

 private:
  // Of a turn: then the thread that works looks after its own call, and another one takes over.
  static constexpr std::size_t most_of_turn = 4096;

  void work_for_all(std::unique_lock<std::mutex>& lock, const Work& work) {
    is_at_work_ = true;
    num_left_ = most_of_turn;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(*this);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_at_work_ = false;
    if (failure) fail_all(failure);
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  }

  void fail_all(const std::exception_ptr& failure) {
    if (!waiting_.empty() && waiting_.front()->num_taken != 0) waiting_.pop_front();
    for (const std::vector<Call*> calls = begun_; Call * call : calls) {
      call->failure = failure;
      end(*call);
    }
  }

  void end(Call& call) {
    std::erase(begun_, &call);
    call.changed.notify_one();  // under the lock: after it the call is gone
  }

  std::mutex mutex_;
  // All guarded by mutex_.
  std::deque<Call*> waiting_;  // those of whose messages some wait
  std::vector<Call*> begun_;   // those of whose messages some were taken
  std::size_t num_left_ = 0;
  bool is_at_work_ = false;
};

}  // namespace phalanx
