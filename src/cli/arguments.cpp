#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/engines_command.hpp"
#include "cli/keygen_command.hpp"
#include "cli/messages.hpp"
#include "cli/raw_command.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {
namespace {

constexpr std::string_view options_with_secrets[] = {"-K", "-k", "--key", "-pass", "--pass", "--passphrase", "--password"};

// The command as far as it was recognised, so that the hint names its own help.
std::string parsed_command(const CLI::App& program) {
  std::string name = "phalanx";
  const CLI::App* command = &program;
  for (auto next = command->get_subcommands(); !next.empty(); next = command->get_subcommands()) {
    command = next.front();
    name += " " + command->get_name();
  }
  return name;
}

std::string describe_unexpected(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('-') || argument == "-") continue;
    const std::string option = argument.substr(0, argument.find('='));
    for (const std::string_view secret : options_with_secrets) {
      if (option.starts_with(secret) && (option.size() == secret.size() || secret.size() == 2)) {
        return "secrets are never arguments: give --key-file, --key-fd, --key-env, --passphrase-file or --passphrase-fd";
      }
    }
    return fmt::format("unknown option {}", option);
  }
  return "too many arguments";
}

std::string describe(const CLI::ParseError& error, const CLI::App& program) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return describe_unexpected(program.remaining(true));
  return error.what();
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, std::function<int()>& run) {
  CLI::App program("Bulk block ciphers on every lane of the machine", "phalanx");
  program.set_version_flag("--version", fmt::format("phalanx {}", version()), "Print the version");
  program.require_subcommand(1);
  add_raw_command(program, run);
  add_keygen_command(program, run);
  add_engines_command(program, run);
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    print_error(fmt::format("{}; see {} --help", describe(error, program), parsed_command(program)));
    return static_cast<int>(ErrorCode::usage);
  }
}

}  // namespace phalanx
