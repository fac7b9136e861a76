#include "cli/console/signal_handlers.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <exception>

#include "files/signals.hpp"

namespace phalanx {
namespace {

// The handler touches nothing but this and what files/signals.hpp has for it.
termios terminal_settings;
std::atomic<int> terminal_number{-1};
std::atomic<const char*> end_of_line{nullptr};
std::atomic<bool> only_sentences{false};

void say(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text)); }

void clean_up() {
  remove_unfinished_files();
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

extern "C" void end_on_signal(int signal_number) {
  if (!may_end_by(signal_number)) return;
  clean_up();
  const char* const sentence = sentence_of_interruption();
  const bool speaks = sentence != nullptr || !only_sentences.load();
  if (speaks) say("phalanx: interrupted");
  if (sentence != nullptr) {
    say("; ");
    say(sentence);
  }
  if (speaks) say("\n");
  _exit(128 + signal_number);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  action.sa_mask = ending_signal_set();
  for (const int number : ending_signals) {
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

void restore_on_interruption(int terminal, const termios* settings) {
  terminal_number.store(-1);
  if (settings == nullptr) return;
  terminal_settings = *settings;
  terminal_number.store(terminal);
}

void end_line_on_interruption(const char* end) { end_of_line.store(end); }

}  // namespace phalanx
