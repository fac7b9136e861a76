// Plaintext for a terminal is held back until it is known to be text.
#pragma once

#include <cstddef>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

class TerminalText {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  /// `name` is the terminal's, for messages.
  explicit TerminalText(std::string name) : name_(std::move(name)) {}

  /// Takes bytes. Throws Error (usage) once they are more than most_bytes.
  void append(Bytes in);

  /// Writes all of it to the terminal if it is_plain_text. Throws Error (usage), and writes nothing, if it is not.
  void show(int terminal);

 private:
  [[noreturn]] void refuse() const;

  std::string name_;
  SecretBytes text_;
  std::size_t num_bytes_ = 0;
};

}  // namespace phalanx
