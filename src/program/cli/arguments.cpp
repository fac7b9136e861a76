#include "program/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <phalanx/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/suggestion.hpp"
#include "program/cli/commands/bench.hpp"
#include "program/cli/commands/command_names.hpp"
#include "program/cli/commands/completions.hpp"
#include "program/cli/commands/decrypt.hpp"
#include "program/cli/commands/encrypt.hpp"
#include "program/cli/commands/engines.hpp"
#include "program/cli/commands/help.hpp"
#include "program/cli/commands/help_text.hpp"
#include "program/cli/commands/inspect.hpp"
#include "program/cli/commands/keygen.hpp"
#include "program/cli/commands/migrate.hpp"
#include "program/cli/commands/raw.hpp"
#include "program/cli/commands/recipients.hpp"
#include "program/cli/commands/verify.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/version_text.hpp"
#include "program/cli/options/openssl_words.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {
namespace {

// The secret itself may follow these, joined or not.
constexpr std::string_view options_with_secrets[] = {"-K",     "-k",   "--key",    "-p",     "-P",
                                                     "--pass", "--pw", "--secret", "--token"};

// Returns the command as far as it was recognised, so that the hint names the help of that command.
std::string parsed_command(const CLI::App& program) {
  std::string name = "phalanx";
  const CLI::App* command = &program;
  for (auto next = command->get_subcommands(); !next.empty(); next = command->get_subcommands()) {
    command = next.front();
    name += " " + command->get_name();
  }
  return name;
}

const CLI::App& innermost_command(const CLI::App& program) {
  const CLI::App* command = &program;
  for (auto next = command->get_subcommands(); !next.empty(); next = command->get_subcommands()) command = next.front();
  return *command;
}

// A secret may be joined to an option ("-pSECRET", "--passwordSECRET"). So only a letter is repeated, or the words at the
// start of a long option.
std::string repeatable_part(const std::string& option) {
  constexpr std::size_t longest_repeated = 24;
  if (!option.starts_with("--")) return option.size() <= 2 ? option : option.substr(0, 2) + "...";
  const auto is_of_a_word = [](char letter) { return letter == '-' || (letter >= 'a' && letter <= 'z'); };
  const auto end = std::ranges::find_if_not(option, is_of_a_word);
  const std::size_t length = std::min<std::size_t>(end - option.begin(), longest_repeated);
  return length == option.size() ? option : option.substr(0, length) + "...";
}

std::string describe_unknown_option(const std::string& option, const CLI::App& command) {
  std::vector<std::string> names, short_names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    short_names.insert(short_names.end(), known->get_snames().begin(), known->get_snames().end());
  }
  const bool is_short = option.size() == 2 && std::ranges::find(short_names, option.substr(1)) != short_names.end();
  if (is_short || std::ranges::find(names, option) != names.end()) {
    return fmt::format("{} is an option of {}: give it behind that word", option, command.get_name());
  }
  const std::string suggestion = suggestion_for(option, names);
  if (!suggestion.empty()) return fmt::format("unknown option {}{}", option, suggestion);
  for (const std::string_view secret : options_with_secrets) {
    if (option.starts_with(secret)) {
      return "secrets are never arguments: give --key-file, --key-fd, --key-env, --passphrase-file or --passphrase-fd";
    }
  }
  return "unknown option " + repeatable_part(option);
}

// Describes what no option and no argument took.
std::string describe_unexpected(const std::vector<std::string>& arguments, const CLI::App& command) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('-') || argument == "-") continue;
    return describe_unknown_option(argument.substr(0, argument.find('=')), command);
  }
  if (arguments.empty()) return "";
  const bool wants_command = !command_names(command).empty();
  return wants_command ? describe_unknown_command(command, arguments.front()) : "too many arguments";
}

// A misspelt option or command explains why another is missing.
std::string describe_missing(const CLI::ParseError& error, const CLI::App& program) {
  const CLI::App& command = innermost_command(program);
  // CLI11 2.6 looks for what is missing before it judges what is there.
  if (const CLI::Option* in_place = command.get_option_no_throw("--in-place"); in_place != nullptr && !in_place->empty()) {
    const std::string refused = refuse_option_as_file(in_place->results().front());
    if (!refused.empty()) return "--in-place: " + refused;
  }
  std::string unexpected = describe_unexpected(program.remaining(true), command);
  if (!unexpected.empty() && unexpected != "too many arguments") return unexpected;
  if (command_names(command).empty()) return error.what();
  return "a command is missing: give " + list_commands(command);
}

std::string describe(const CLI::ParseError& error, const CLI::App& program) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return describe_unexpected(program.remaining(true), innermost_command(program));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return describe_missing(error, program);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return text;  // a validator of ours wrote it
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return text + ": give one of them";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string option = text.substr(0, text.find(':'));
    return option + (text.find("received") == std::string::npos ? " needs a value" : " is given more than once");
  }
  return "wrong arguments";
}

// Returns the option that an argument names, of the command that the first arguments name; nullptr if it is none.
const CLI::Option* option_named(const std::string& argument, const std::vector<std::string>& arguments,
                                const CLI::App& program) {
  const CLI::App* command = &program;
  for (const std::string& word : arguments) {
    const auto named = command->get_subcommands([&word](const CLI::App* one) { return one->get_name() == word; });
    if (named.empty()) break;
    command = named.front();
  }
  return argument.starts_with('-') ? command->get_option_no_throw(argument) : nullptr;
}

// An empty argument never means anything: it is a script's variable that was not set. Returns "" where no argument is empty.
std::string describe_empty(const std::vector<std::string>& arguments, const CLI::App& program) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool ends_empty = argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    if (!argument.empty() && !ends_empty) continue;
    const std::string name = ends_empty ? argument.substr(0, argument.size() - 1) : i == 0 ? "" : arguments[i - 1];
    const CLI::Option* const option = option_named(name, arguments, program);
    const std::string which = option == nullptr ? fmt::format("argument {}", i + 1) : name;
    return which + " is empty: give a name or a value, or leave it out (a variable may be unset)";
  }
  return "";
}

// These are headings of the program's help.
constexpr const char* containers = "Encrypt and decrypt";
constexpr const char* old_files = "Read what other programs wrote, or write it";
constexpr const char* this_machine = "Keys and engines";
constexpr const char* about = "Help";
constexpr const char* hidden = "";  // a command that packages run

struct Command {
  std::string_view name;
  const char* task;
  void (*add)(CLI::App& program, CommandRun& run);
  void (*add_action)(CLI::App& program, CommandRun& run, std::string_view action) = nullptr;  // in the place of `add`
};
constexpr Command all_commands[] = {
    {"encrypt", containers, add_encrypt_command},
    {"decrypt", containers, add_decrypt_command},
    {"recipients", containers, nullptr, add_recipients_command},
    {"migrate", old_files, add_migrate_command},
    {"inspect", containers, add_inspect_command},
    {"verify", containers, add_verify_command},
    {"raw", old_files, nullptr, add_raw_command},
    {"keygen", this_machine, add_keygen_command},
    {"engines", this_machine, add_engines_command},
    {"bench", this_machine, add_bench_command},
    {"help", about, add_help_command},
    {"version", about, add_version_command},
    {"completions", hidden, add_completions_command},
};

// Adds the one command that is asked for, where no other can be needed. The options of all take as long to make as a
// megabyte to encrypt. Help and completions look at all.
void add_commands(CLI::App& program, std::string_view first_argument, std::string_view second, CommandRun& run) {
  const bool looks_at_all = first_argument == "help" || first_argument == "completions";
  const auto* const asked_for = std::ranges::find(all_commands, first_argument, &Command::name);
  const bool one_is_enough = asked_for != std::end(all_commands) && !looks_at_all;
  for (const Command& command : all_commands) {
    if (one_is_enough && &command != asked_for) continue;
    if (command.add_action != nullptr) {
      command.add_action(program, run, one_is_enough ? second : "");
    } else {
      command.add(program, run);
    }
    program.get_subcommand(std::string(command.name))->group(command.task);
  }
}

constexpr const char* program_description =
    "Phalanx encrypts files and folders, by keys, passphrases and public keys of age.\n"
    "It moves old archives into authenticated files.";
constexpr const char* program_examples =
    "# Make a key. The other examples need it.\n"
    "phalanx keygen key\n"
    "# Read an old archive into a container.\n"
    "phalanx migrate --from-auto --from-cipher des3 --from-passphrase-file pass \\\n"
    "  --key-file key old.enc new.phalanx\n"
    "# Encrypt a file, and decrypt it.\n"
    "phalanx encrypt --key-file key notes notes.phalanx\n"
    "phalanx decrypt --key-file key notes.phalanx notes.copy\n"
    "# Encrypt what is new in a folder, every night.\n"
    "phalanx encrypt --each --update --key-file key photos --to-tree sealed";

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, CommandRun& run) {
  const std::string of_openssl = describe_openssl_words({argv + 1, argv + std::max(argc, 1)});
  if (!of_openssl.empty()) {
    print_error(of_openssl);
    return exit_code_of(ErrorCode::usage);
  }
  CLI::App program(program_description, "phalanx");
  set_help_text(program);
  program.set_version_flag("-V,--version", version_text, "print the version");
  program.require_subcommand(1);
  add_commands(program, argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", run);
  set_examples(program, program_examples);
  const std::string empty = describe_empty({argv + 1, argv + std::max(argc, 1)}, program);
  if (!empty.empty()) {
    print_error(fmt::format("{}; see phalanx --help", empty));
    return exit_code_of(ErrorCode::usage);
  }
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& help_or_version) {
    const int exit_code = program.exit(help_or_version);
    if (std::cout.flush()) return exit_code;
    print_error("cannot write standard output");
    return exit_code_of(ErrorCode::runtime);
  } catch (const CLI::ParseError& error) {
    print_error(fmt::format("{}; see {} --help", describe(error, program), parsed_command(program)));
    return exit_code_of(ErrorCode::usage);
  }
}

}  // namespace phalanx
