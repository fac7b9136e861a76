#include "files/signals.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <exception>
#include <phalanx/phalanx.hpp>

namespace phalanx {
namespace {

// Everything that the handler touches: plain memory, published by lock-free atomics, since nothing else is safe there.
struct UnfinishedFile {
  char path[PATH_MAX]{};
  FileIdentity identity;
  std::atomic<bool> taken{false};  // by a RemoveOnSignal
  std::atomic<bool> ready{false};  // for the handler
};
// Zero without a constructor that runs: that would touch all of its 4 MiB at the start of every run.
constinit std::array<UnfinishedFile, max_removals> unfinished_files{};
termios terminal_settings;
std::atomic<int> terminal_number{-1};
std::atomic<const char*> end_of_line{nullptr};
std::atomic<const char*> sentence_to_say{nullptr};
std::atomic<int> num_sentences{0};
std::atomic<bool> only_sentences{false};
std::atomic<bool> is_ending{false};
// How many SignalBlocker live; or that a signal has ended the program, so that no more begin.
std::atomic<int> num_held_back{0};
constexpr int has_ended = -1;
std::atomic<int> signal_held_back{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

constexpr int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};

void say(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text)); }

void clean_up() {
  is_ending.store(true);
  for (const UnfinishedFile& file : unfinished_files) {
    struct stat status;
    if (!file.ready.load() || ::lstat(file.path, &status) != 0) continue;
    if (FileIdentity(status) == file.identity) ::unlink(file.path);
  }
  const int terminal = terminal_number.load();
  if (terminal >= 0) tcsetattr(terminal, TCSANOW, &terminal_settings);
  if (terminal >= 0) say("\n");
  if (const char* end = end_of_line.load()) say(end);
}

// What throws where nobody can catch it, such as a destructor of a library that finds no memory, is a failure like others.
[[noreturn]] void end_on_terminate() {
  clean_up();
  say("phalanx: failed in a place that cannot go on, most likely for want of memory: free some, or give fewer --threads\n");
  _exit(1);
}

// Whether nothing holds the end back; then nothing does from now on.
bool try_to_end() {
  int expected = 0;
  return num_held_back.compare_exchange_strong(expected, has_ended) || expected == has_ended;
}

extern "C" void end_on_signal(int signal_number) {
  if (!try_to_end()) {
    signal_held_back.store(signal_number);
    if (!try_to_end()) return;  // what holds it back will see the signal
  }
  clean_up();
  const bool has_sentence = num_sentences.load() > 0;
  if (has_sentence || !only_sentences.load()) say("phalanx: interrupted");
  if (has_sentence) {
    say("; ");
    say(sentence_to_say.load());
  }
  if (has_sentence || !only_sentences.load()) say("\n");
  _exit(128 + signal_number);
}

sigset_t handled_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : handled_signals) sigaddset(&set, number);
  return set;
}

}  // namespace

void handle_interruptions() {
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  action.sa_mask = handled_set();
  for (const int number : handled_signals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // A shell without job control starts background commands with SIGINT ignored; an unfinished run must end there too.
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
  std::set_terminate(end_on_terminate);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file past the limit of its size is an error of write(2) too
}

void say_only_sentences_on_interruption(bool only) { only_sentences.store(only); }

void clean_up_as_interrupted() { clean_up(); }

bool is_interrupted() { return is_ending.load(); }

SignalBlocker::SignalBlocker() {
  const sigset_t set = handled_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_);  // no call of this thread comes short for a signal that waits
  int number = num_held_back.load();
  do {
    while (number == has_ended) pause();  // another thread ends the process
  } while (!num_held_back.compare_exchange_weak(number, number + 1));
}

SignalBlocker::~SignalBlocker() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // what waits for this thread is held back now
  const bool was_last = num_held_back.fetch_sub(1) == 1;
  if (!was_last) return;
  if (const int number = signal_held_back.exchange(0); number != 0 && !forgets_) raise(number);
}

RemoveOnSignal::RemoveOnSignal(const std::string& path, const FileIdentity& identity) {
  if (path.size() >= PATH_MAX) throw Error(ErrorCode::usage, "the name of OUT is too long: shorten it");
  while (unfinished_files.at(place_).taken.exchange(true)) ++place_;
  UnfinishedFile& file = unfinished_files[place_];
  std::memcpy(file.path, path.c_str(), path.size() + 1);
  file.identity = identity;
  file.ready.store(true);
  if (!is_ending.load()) return;
  clean_up();
  for (;;) pause();  // another thread ends the process
}

RemoveOnSignal::~RemoveOnSignal() {
  unfinished_files[place_].ready.store(false);
  unfinished_files[place_].taken.store(false);
}

void restore_on_interruption(int terminal, const termios* settings) {
  terminal_number.store(-1);
  if (settings == nullptr) return;
  terminal_settings = *settings;
  terminal_number.store(terminal);
}

void end_line_on_interruption(const char* end) { end_of_line.store(end); }

SignalNote::SignalNote(const char* sentence) {
  sentence_to_say.store(sentence);
  num_sentences.fetch_add(1);
}

SignalNote::~SignalNote() { num_sentences.fetch_sub(1); }

}  // namespace phalanx
