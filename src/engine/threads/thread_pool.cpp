#include "engine/threads/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "engine/threads/brief_wait.hpp"

namespace phalanx {
namespace {

constexpr int most_looks = 100;  // before a thread sleeps

// The state of a slot: bit 31 for "taken", 15 bits for the places left, 16 for the helpers within work.
constexpr std::uint32_t taken = 1U << 31;
constexpr std::uint32_t one_place = 1U << 16;
constexpr std::uint32_t one_helper = 1;
constexpr std::uint32_t most_places = 0x7fff;
constexpr std::uint32_t helpers_mask = 0xffff;

constexpr std::uint32_t places_left(std::uint32_t state) { return (state & ~taken) / one_place; }

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
  const std::size_t num_places = std::min<std::size_t>({most_helpers, most_threads_, most_places});
  Slot* slot = num_places == 0 ? nullptr : claim_slot(num_places, work);
  if (slot == nullptr) return work();
  start_threads(num_places);
  num_offers_.fetch_add(1);
  wake_helpers(num_places);
  work();
  release_slot(*slot);
}

ThreadPool::Slot* ThreadPool::claim_slot(std::size_t num_places, const std::function<void()>& work) {
  for (Slot& slot : slots_) {
    std::uint32_t state = 0;
    if (slot.state.load(std::memory_order_relaxed) == 0 && slot.state.compare_exchange_strong(state, taken)) {
      slot.work = &work;
      slot.state.store(taken + static_cast<std::uint32_t>(num_places) * one_place);
      return &slot;
    }
  }
  return nullptr;
}

// Lets nobody in any more, waits for those who are, and leaves the slot to the next caller.
void ThreadPool::release_slot(Slot& slot) {
  slot.state.fetch_and(taken | helpers_mask);
  wait_briefly(most_looks, [&slot] { return slot.state.load() == taken; });
  for (std::uint32_t state = slot.state.load(); state != taken; state = slot.state.load()) slot.state.wait(state);
  slot.state.store(0);
}

// Makes threads until so many are free, or there are as many as may be, or the system has no more.
void ThreadPool::start_threads(std::size_t wanted) {
  const auto are_enough = [&] {
    const std::size_t num_threads = num_threads_.load();
    return num_threads == most_threads_ || num_threads >= num_busy_.load() + wanted;
  };
  if (are_enough()) return;
  const std::lock_guard lock(starting_);
  while (!are_enough()) {
    try {
      std::thread([this] { worker_loop(); }).detach();
    } catch (const std::exception&) {
      return;  // no thread, or no memory for one
    }
    num_threads_.fetch_add(1);
  }
}

// Two, each of which wakes two more: nobody has to wake all.
void ThreadPool::wake_helpers(std::size_t num_places) {
  for (std::size_t i = 0; i < std::min<std::size_t>(num_places, 2); ++i) num_offers_.notify_one();
}

// An offer that is made after the look at the number of them changes it: it cannot be slept through.
void ThreadPool::worker_loop() {
  for (;;) {
    const std::uint32_t num_offers = num_offers_.load();
    if (try_help()) continue;
    wait_briefly(most_looks, [&] { return num_offers_.load(std::memory_order_relaxed) != num_offers; });
    num_offers_.wait(num_offers);
  }
}

bool ThreadPool::try_help() {
  return std::any_of(slots_.begin(), slots_.end(), [this](Slot& slot) { return help_slot(slot); });
}

bool ThreadPool::help_slot(Slot& slot) {
  std::uint32_t state = slot.state.load();
  do {
    if (places_left(state) == 0) return false;
  } while (!slot.state.compare_exchange_weak(state, state - one_place + one_helper));
  num_busy_.fetch_add(1);
  wake_helpers(places_left(state) - 1);
  (*slot.work)();
  num_busy_.fetch_sub(1);
  if (slot.state.fetch_sub(one_helper) == taken + one_helper) slot.state.notify_one();
  return true;
}

}  // namespace phalanx
