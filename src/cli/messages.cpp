#include "cli/messages.hpp"

#include <unistd.h>

#include <string>

namespace phalanx {

void print_error(std::string_view message) {
  std::string line = "phalanx: " + std::string(message);
  for (char& character : line) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f) character = '?';
  }
  line += '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_out_of_memory() noexcept {
  constexpr std::string_view line = "phalanx: out of memory: free some, or give fewer --threads\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_note(std::string_view message, bool quiet) {
  if (!quiet) print_error(message);
}

}  // namespace phalanx
