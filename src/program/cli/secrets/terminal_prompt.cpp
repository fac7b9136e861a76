#include "program/cli/secrets/terminal_prompt.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <termios.h>
#include <unistd.h>

#include <optional>
#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/console/signal_handlers.hpp"
#include "program/cli/secrets/first_line.hpp"
#include "program/cli/secrets/prompt_signals.hpp"

namespace phalanx {
namespace {

// Echo is off while it lives.
class EchoOff {
 public:
  // `question` waits for its answer, and outlives this.
  EchoOff(int terminal, const std::string& question) : question_{.terminal = terminal, .text = question.c_str()} {
    if (tcgetattr(terminal, &question_.before) != 0) throw_system_error("use", "/dev/tty");
    question_.silent = question_.before;
    question_.silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK);
    question_.silent.c_lflag |= ECHONL | ICANON | ISIG;
    restore_on_interruption(terminal, &question_.before);
    signals_.emplace(question_);
    if (tcsetattr(terminal, TCSAFLUSH, &question_.silent) != 0) throw_system_error("use", "/dev/tty");
  }
  ~EchoOff() {
    signals_.reset();  // a program that is stopped now does not ask again
    tcsetattr(question_.terminal, TCSANOW, &question_.before);
    restore_on_interruption(-1, nullptr);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

 private:
  SilentQuestion question_;
  std::optional<PromptSignals> signals_;
};

}  // namespace

SecretBytes prompt_secret(const std::string& question, const std::string& instead) {
  const FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.is_open()) throw Error(ErrorCode::usage, "there is no terminal to ask on: give " + instead);
  const BarPause pause;  // a bar would wipe the question off
  const std::string text = question + ": ";
  const EchoOff echo_off(terminal.get(), text);
  write_all(terminal.get(), bytes_of(text), "/dev/tty");
  return SecretBytes(read_first_line(terminal.get(), "/dev/tty").without_end());
}

SecretBytes prompt_public(const std::string& question, const std::string& instead) {
  const FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.is_open()) throw Error(ErrorCode::usage, "there is no terminal to ask on: give " + instead);
  const BarPause pause;
  write_all(terminal.get(), bytes_of(question + ": "), "/dev/tty");
  return SecretBytes(read_first_line(terminal.get(), "/dev/tty").without_end());
}

SecretBytes prompt_secret_twice(const std::string& question, const std::string& instead) {
  constexpr int most_tries = 3;
  for (int i = 1; i <= most_tries; ++i) {
    const std::string said = i == 1 ? question : "the two lines differ; " + question;
    SecretBytes first = prompt_secret(said, instead);
    const SecretBytes second = prompt_secret(question + ", again", instead);
    if (first.size() == second.size() && CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0) return first;
  }
  throw Error(ErrorCode::usage, "the two lines differ, three times");
}

}  // namespace phalanx
