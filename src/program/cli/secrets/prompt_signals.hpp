// Signals that end or stop a program which asks for a secret: the terminal's echo comes back before they do.
#pragma once

#include <signal.h>
#include <termios.h>

#include <array>

namespace phalanx {

/// A question that waits for its answer with echo off.
struct SilentQuestion {
  int terminal;
  termios before{};  ///< the settings to restore
  termios silent{};  ///< those while it waits
  const char* text;  ///< written once more when a stopped program goes on
};

/// While it lives, SIGQUIT, SIGALRM and SIGTSTP do what they did before, but to a terminal that echoes; SIGINT and its kin
/// have signal_handlers.hpp for that. One at a time, and the question outlives it.
class PromptSignals {
 public:
  explicit PromptSignals(const SilentQuestion& question);
  ~PromptSignals();
  PromptSignals(const PromptSignals&) = delete;
  PromptSignals& operator=(const PromptSignals&) = delete;

 private:
  static constexpr std::array<int, 3> numbers{SIGQUIT, SIGALRM, SIGTSTP};
  std::array<struct sigaction, numbers.size()> before_{};
};

}  // namespace phalanx
