#include "program/cli/console/messages.hpp"

#include <unistd.h>

#include <string>

#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "files/age/key_files.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/console/progress_report.hpp"

namespace phalanx {

std::string about_file(const std::string& path, const std::string& why) {
  const bool is_no_word = path.find_first_of("./") != std::string::npos;  // a message may begin with a word, such as "the"
  const bool begins_so = is_no_word && why.starts_with(path + ' ');
  const bool could_not = why.starts_with("cannot ") && why.find(' ' + path + ": ") != std::string::npos;
  return begins_so || could_not ? why : path + ": " + why;
}

void print_error(std::string_view message) {
  const std::string line = "phalanx: " + plain_line(without_identities(message)) + '\n';
  const BarPause pause;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_out_of_memory() noexcept {
  constexpr std::string_view line = "phalanx: out of memory: free some, or give fewer --threads\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_note(std::string_view message, bool quiet) {
  if (!quiet) print_error(message);
}

void say_unless_from_disk(std::string_view name, ContentSource source, bool quiet) {
  const std::string_view why = why_not_from_disk(source);
  if (!why.empty()) print_note(std::string(name) + ' ' + std::string(why), quiet);
}

void print_result(std::string_view text) { write_all(STDOUT_FILENO, bytes_of(text), "standard output"); }

}  // namespace phalanx
