// Lets calls of many threads go to a GPU together.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engines/keyed_gcm.hpp"

namespace phalanx {

/// A few messages leave most lanes of a GPU idle, and each call takes it milliseconds to begin and to end. So calls that
/// come while it is at work wait, and go as one.
class CallCombiner {
 public:
  using Work = std::function<void(std::span<GcmMessage>)>;

  /// Does work(messages), alone or within a larger span that holds messages of other calls. Every call brings the same work.
  /// Throws what the work throws, to all whose messages were in it.
  void run(std::span<GcmMessage> messages, const Work& work) {
    Call call{messages};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&call);
    while (!call.is_done) {
      if (call.is_taken || is_at_work_) {
        changed_.wait(lock);
      } else {
        work_on_all(lock, work);
      }
    }
    if (call.failure) std::rethrow_exception(call.failure);
  }

 private:
  struct Call {
    std::span<GcmMessage> messages;
    bool is_taken = false;
    bool is_done = false;
    std::exception_ptr failure{};
  };

  void work_on_all(std::unique_lock<std::mutex>& lock, const Work& work) {
    const std::vector<Call*> calls = std::exchange(waiting_, {});
    for (Call* call : calls) call->is_taken = true;
    is_at_work_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      calls.size() == 1 ? work(calls.front()->messages) : work_together(calls, work);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_at_work_ = false;
    for (Call* call : calls) {
      call->failure = failure;
      call->is_done = true;
    }
    changed_.notify_all();
  }

  static void work_together(const std::vector<Call*>& calls, const Work& work) {
    std::vector<GcmMessage> all;
    for (const Call* call : calls) all.insert(all.end(), call->messages.begin(), call->messages.end());
    work(all);
    auto from = all.begin();
    for (const Call* call : calls) {
      for (GcmMessage& message : call->messages) message.is_authentic = (from++)->is_authentic;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call*> waiting_;
  bool is_at_work_ = false;
};

}  // namespace phalanx
