// This is for signals that end or stop a program while it asks for a secret. The terminal's echo comes back before they do.
#pragma once

#include <signal.h>
#include <termios.h>

#include <array>

namespace phalanx {

/// Holds a question that waits for its answer with echo off.
struct SilentQuestion {
  int terminal;
  termios before{};  ///< the settings to restore
  termios silent{};  ///< the settings while it waits
  const char* text;  ///< written once more when a stopped program goes on
};

/// While it lives, SIGQUIT, SIGALRM and SIGTSTP have their usual effect, unless they were ignored, but on a terminal that
/// echoes. For SIGINT and its kin signal_handlers.hpp does that. There is one at a time, and the question outlives it.
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
