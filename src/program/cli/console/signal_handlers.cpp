#include "program/cli/console/signal_handlers.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <exception>

#include "files/system/output/output_mapping.hpp"
#include "files/system/signals.hpp"

namespace phalanx {
namespace {

// The handlers touch nothing but these variables and what files/ has for them.
termios terminal_settings;
std::atomic<int> terminal_number{-1};
std::atomic<const char*> end_of_line{nullptr};
std::atomic<bool> only_notes{false};
std::atomic_flag is_said = ATOMIC_FLAG_INIT;

void say(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text)); }

// Returns a string that lives for ever, or nullptr where there is no more to say.
const char* sentence_about(Interrupted what) {
  switch (what) {
    case Interrupted::nothing:
      break;
    case Interrupted::output_goes_on:
      return "the same command again continues";
    case Interrupted::output_is_lost:
      return "what was written is removed, and --resume would have kept it";
    case Interrupted::output_is_complete:
      return "OUT has its name, and is complete";
    case Interrupted::in_place_goes_on:
      return "the same command again resumes it";
    case Interrupted::in_place_is_complete:
      return "the file is complete, and must not be crypted again";
  }
  return nullptr;
}

void clean_up() {
  remove_unfinished_files();
  const int terminal = terminal_number.load();
  if (terminal >= 0) tcsetattr(terminal, TCSANOW, &terminal_settings);
  if (terminal >= 0) say("\n");
  if (const char* end = end_of_line.load()) say(end);
}

// An exception that nobody can catch is a failure like others. A destructor of a library may throw one when it finds no
// memory.
[[noreturn]] void end_on_terminate() {
  clean_up();
  say("phalanx: failed in a place that cannot go on, most likely for want of memory: free some, or give fewer --threads\n");
  _exit(1);
}

extern "C" void end_on_signal(int signal_number) {
  if (!may_end_by(signal_number)) return;
  while (is_said.test_and_set()) pause();  // another thread got a signal first, and ends the process
  clean_up();
  const char* const sentence = sentence_about(what_is_interrupted());
  const bool speaks = sentence != nullptr || !only_notes.load();
  if (speaks) say("phalanx: interrupted");
  if (sentence != nullptr) {
    say("; ");
    say(sentence);
  }
  if (speaks) say("\n");
  _exit(128 + signal_number);
}

extern "C" void save_or_end(int signal_number, siginfo_t* info, void* /*context*/) {
  if (replace_lost_page(info->si_addr)) return;
  static_cast<void>(signal(signal_number, SIG_DFL));  // no page of ours: the instruction runs again, and ends the process
}

void handle_lost_pages() {
  struct sigaction action {};
  action.sa_sigaction = save_or_end;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGBUS, &action, nullptr) == 0) allow_output_mappings();
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  action.sa_mask = ending_signal_set();
  for (const int number : ending_signals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup, or a script that must not be interrupted, ignores it
    sigaction(number, &action, nullptr);
  }
  std::set_terminate(end_on_terminate);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file past the limit of its size is an error of write(2) too
  handle_lost_pages();
}

void say_only_notes_on_interruption(bool only) { only_notes.store(only); }

void clean_up_as_interrupted() {
  wait_until_it_may_end();  // a file that another thread has made, and not yet registered, would stay
  clean_up();
}

void restore_on_interruption(int terminal, const termios* settings) {
  terminal_number.store(-1);
  if (settings == nullptr) return;
  terminal_settings = *settings;
  terminal_number.store(terminal);
}

void end_line_on_interruption(const char* end) { end_of_line.store(end); }

}  // namespace phalanx
