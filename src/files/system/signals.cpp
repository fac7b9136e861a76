#include "files/system/signals.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <phalanx/error.hpp>
#include <thread>

namespace phalanx {
namespace {

// A handler touches only these members: plain memory, published by lock-free atomics, since nothing else is safe there.
// Each machine has these for an int; for a bool, riscv64 has none.
using Flag = std::atomic<int>;
struct UnfinishedFile {
  char path[PATH_MAX]{};
  FileIdentity identity;
  Flag taken{0};  // taken by a RemoveOnSignal
  Flag ready{0};  // complete, so that the handler may read it
};
// It is zero without a constructor that runs: that would touch all of its 4 MiB at the start of every run.
constinit std::array<UnfinishedFile, max_removals> unfinished_files{};
std::atomic<Interrupted> last_note{Interrupted::nothing};
std::atomic<int> num_notes{0};
Flag is_ending{0};
// Counts the living SignalBlockers, or says that a signal has ended the program, so that no more begin.
std::atomic<int> num_held_back{0};
constexpr int has_ended = -1;
std::atomic<int> signal_held_back{0};
static_assert(Flag::is_always_lock_free && std::atomic<Interrupted>::is_always_lock_free);

// Says whether nothing holds the end back. If so, nothing does from now on.
bool try_to_end() {
  int expected = 0;
  return num_held_back.compare_exchange_strong(expected, has_ended) || expected == has_ended;
}

}  // namespace

sigset_t ending_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : ending_signals) sigaddset(&set, number);
  return set;
}

bool may_end_by(int signal_number) noexcept {
  if (try_to_end()) return true;
  signal_held_back.store(signal_number);
  return try_to_end();  // if not, the living SignalBlocker will see the signal
}

void wait_until_it_may_end() noexcept {
  constexpr int most_looks = 1000;
  constexpr std::chrono::milliseconds between{1};
  for (int look = 0; look < most_looks && !try_to_end(); ++look) std::this_thread::sleep_for(between);
}

void remove_unfinished_files() noexcept {
  is_ending.store(1);
  for (const UnfinishedFile& file : unfinished_files) {
    struct stat status;
    if (file.ready.load() == 0 || ::lstat(file.path, &status) != 0) continue;
    if (FileIdentity(status) == file.identity) ::unlink(file.path);
  }
}

bool is_interrupted() { return is_ending.load() != 0; }

Interrupted what_is_interrupted() noexcept { return num_notes.load() > 0 ? last_note.load() : Interrupted::nothing; }

SignalBlocker::SignalBlocker() {
  const sigset_t set = ending_signal_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_);  // a waiting signal must not cut short a call of this thread
  int number = num_held_back.load();
  do {
    while (number == has_ended) pause();  // another thread ends the process
  } while (!num_held_back.compare_exchange_weak(number, number + 1));
}

SignalBlocker::~SignalBlocker() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // a signal that waits for this thread is held back now
  const bool was_last = num_held_back.fetch_sub(1) == 1;
  if (!was_last) return;
  if (const int number = signal_held_back.exchange(0); number != 0 && !forgets_) raise(number);
}

RemoveOnSignal::RemoveOnSignal(const std::string& path, const FileIdentity& identity) {
  if (path.size() >= PATH_MAX) throw Error(ErrorCode::usage, "the name of OUT is too long: shorten it");
  while (unfinished_files.at(place_).taken.exchange(1) != 0) ++place_;
  UnfinishedFile& file = unfinished_files[place_];
  std::memcpy(file.path, path.c_str(), path.size() + 1);
  file.identity = identity;
  file.ready.store(1);
  if (is_ending.load() == 0) return;
  remove_unfinished_files();
  for (;;) pause();  // another thread ends the process
}

RemoveOnSignal::~RemoveOnSignal() {
  unfinished_files[place_].ready.store(0);
  unfinished_files[place_].taken.store(0);
}

SignalNote::SignalNote(Interrupted what) {
  last_note.store(what);
  num_notes.fetch_add(1);
}

SignalNote::~SignalNote() { num_notes.fetch_sub(1); }

}  // namespace phalanx
