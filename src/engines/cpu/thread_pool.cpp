#include "engines/cpu/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace phalanx {
namespace {

/// Waits a little for what is about to come true: to be woken takes longer. On a busy machine others run meanwhile.
template <class Condition>
void wait_briefly(const Condition& condition) {
  for (int i = 0; i < 100 && !condition(); ++i) std::this_thread::yield();
}

/// The lock is held for moments only: to fall asleep for it, and to be woken, takes longer.
void lock_soon(std::unique_lock<std::mutex>& lock) {
  for (int i = 0; i < 2000; ++i) {
    if (lock.try_lock()) return;
    __builtin_ia32_pause();
  }
  lock.lock();
}

std::atomic<ThreadPool*> process_pool{nullptr};  // never destroyed: its threads outlive static objects

void renew_process_pool() { process_pool = new ThreadPool(usable_processors() - 1); }

}  // namespace

std::size_t usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  return count > 0 ? static_cast<std::size_t>(count) : std::max(1U, std::thread::hardware_concurrency());
}

ThreadPool& ThreadPool::of_process() {
  [[maybe_unused]] static const int registered = [] {
    renew_process_pool();
    return pthread_atfork(nullptr, nullptr, renew_process_pool);
  }();
  return *process_pool;
}

void ThreadPool::share(std::size_t most_helpers, const std::function<void()>& work) {
  Job job{work, std::min(most_helpers, most_threads_)};
  if (job.places == 0) return work();
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_soon(lock);
  start_threads(job.places);
  const auto place = open_.insert(open_.end(), &job);
  has_open_ = true;
  lock.unlock();
  wake_helpers(most_helpers);
  work();
  lock_soon(lock);
  if (job.places != 0) close(place);
  job.places = 0;
  lock.unlock();
  const auto is_done = [&job] { return job.num_active == 0; };
  wait_briefly(is_done);
  lock.lock();  // who was the last to help has let go of it, and of the job
  job.done.wait(lock, is_done);
}

/// Makes threads until so many are free, or there are as many as may be, or the system has no more.
void ThreadPool::start_threads(std::size_t wanted) {
  for (; num_idle_ < wanted && num_threads_ < most_threads_; ++num_threads_, ++num_idle_) {
    try {
      std::thread([this] { help_for_ever(); }).detach();
    } catch (const std::system_error&) {
      return;
    }
  }
}

/// Two, each of which wakes two more: nobody has to wake all.
void ThreadPool::wake_helpers(std::size_t num_places) {
  for (std::size_t i = 0; i < std::min<std::size_t>(num_places, 2); ++i) opened_.notify_one();
}

void ThreadPool::close(std::list<Job*>::iterator place) {
  open_.erase(place);
  has_open_ = !open_.empty();
}

void ThreadPool::help_for_ever() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (open_.empty()) {
      lock.unlock();
      wait_briefly([this] { return has_open_.load(std::memory_order_relaxed); });
      lock_soon(lock);
    }
    opened_.wait(lock, [this] { return !open_.empty(); });
    help(lock);
  }
}

void ThreadPool::help(std::unique_lock<std::mutex>& lock) {
  Job& job = *open_.front();
  ++job.num_active;
  const std::size_t places_left = --job.places;
  if (places_left == 0) close(open_.begin());
  --num_idle_;
  lock.unlock();
  wake_helpers(places_left);
  job.work();
  lock_soon(lock);
  ++num_idle_;
  if (--job.num_active == 0) job.done.notify_one();
}

}  // namespace phalanx
