#include "program/cli/secrets/prompt_signals.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace phalanx {
namespace {

// The handler touches nothing but this.
std::atomic<const SilentQuestion*> waiting_question{nullptr};

void put(int terminal, const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(terminal, text, std::strlen(text));
}

void echo_again() {
  const SilentQuestion* const question = waiting_question.load();
  if (question == nullptr) return;
  tcsetattr(question->terminal, TCSANOW, &question->before);
  put(question->terminal, "\n");
}

void ask_again() {
  const SilentQuestion* const question = waiting_question.load();
  if (question == nullptr) return;
  tcsetattr(question->terminal, TCSAFLUSH, &question->silent);
  put(question->terminal, question->text);
}

// Does what the signal does to a program that does not handle it. Only SIGTSTP returns, when the program goes on.
void take_effect(int number) {
  struct sigaction usual {};
  struct sigaction ours {};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, &ours);
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, &before);
  raise(number);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  sigaction(number, &ours, nullptr);
}

extern "C" void echo_and_pass_on(int number) {
  const int error = errno;
  echo_again();
  take_effect(number);
  ask_again();
  errno = error;
}

}  // namespace

PromptSignals::PromptSignals(const SilentQuestion& question) {
  waiting_question.store(&question);
  struct sigaction action {};
  action.sa_handler = echo_and_pass_on;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers.at(i), nullptr, &before_.at(i));
    if (before_.at(i).sa_handler != SIG_IGN) sigaction(numbers.at(i), &action, nullptr);
  }
}

PromptSignals::~PromptSignals() {
  waiting_question.store(nullptr);
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers.at(i), &before_.at(i), nullptr);
}

}  // namespace phalanx
