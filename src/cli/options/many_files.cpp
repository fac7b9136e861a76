#include "cli/options/many_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/console/exit_codes.hpp"
#include "cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_at_once = 64;  // each has a few open files
constexpr std::size_t most_at_once_by_passphrase = 4;

}  // namespace

CLI::Option* add_each_option(CLI::App& command, std::vector<std::string>& more, bool& each, const std::string& description) {
  command.add_option("FILE", more, "with --each: more files and folders")->type_name("");
  return command.add_flag("--each", each, description)
      ->excludes(command.get_option("--output"))
      ->excludes(command.get_option("--resume"))
      ->excludes(command.get_option("--bare"));
}

void refuse_more_files(const std::vector<std::string>& more) {
  if (!more.empty()) throw Error(ErrorCode::usage, "too many arguments: give IN and OUT, or --each for several files");
}

std::vector<std::string> names_of_each(const std::string& in, const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> names{in, out};
  names.insert(names.end(), more.begin(), more.end());
  std::erase(names, "");
  if (names.empty()) throw Error(ErrorCode::usage, "--each needs files or folders: name them");
  if (std::ranges::find(names, "-") != names.end())
    throw Error(ErrorCode::usage, "--each takes files, and - is none: leave it out");
  return names;
}

std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place) {
  if (place == nullptr) return 1;
  const bool by_passphrase = secrets.named.empty() || secrets.names_passphrase();
  return by_passphrase ? most_at_once_by_passphrase : std::min(2 * place->num_workers(), most_at_once);
}

std::uint64_t FailureCount::total() const {
  std::uint64_t sum = 0;
  for (const auto& [code, number] : by_code_) sum += number;
  return sum;
}

int FailureCount::exit_code() const {
  if (by_code_.empty()) return 0;
  return by_code_.size() == 1 ? by_code_.begin()->first : exit_code_of(ErrorCode::runtime);
}

int run_many(const ManyFiles& files, const FileWork& work, const char* done, std::size_t at_once, bool quiet,
             RunPlace* place) {
  FailureCount failures;
  std::uint64_t num_done = 0, num_skipped = 0;
  const auto tell = [&](const FileOfMany& file, const FileOutcome& outcome) {
    if (outcome.failed) {
      failures.add(exit_code_of(outcome.code));
      return print_error(file.path + ": " + outcome.why);
    }
    ++(outcome.why.empty() ? num_done : num_skipped);
    if (!outcome.why.empty()) print_note(file.path + ": skipped: " + outcome.why, quiet);
  };
  files.run(work, at_once, tell, nullptr, place);
  print_note(fmt::format("{} {}, {} failed, {} skipped", num_done, done, failures.total(), num_skipped), quiet);
  return failures.exit_code();
}

}  // namespace phalanx
