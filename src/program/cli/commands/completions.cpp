#include "program/cli/commands/completions.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <phalanx/catalog.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <string>
#include <vector>

#include "engine/modes/named_cipher.hpp"
#include "files/foreign/foreign_cipher.hpp"
#include "program/cli/commands/completion_scripts.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/cipher_arguments.hpp"

namespace phalanx {
namespace {

std::vector<std::string> full_names() {
  std::vector<std::string> names;
  for (const CipherFacts& facts : all_cipher_facts()) {
    if (!is_xaes(facts.name)) names.push_back(facts.name);
  }
  return names;
}

// Adds the ciphers of old data that are read and not written.
std::vector<std::string> names_to_read(std::vector<std::string> names) {
  const std::vector<std::string> old = read_only_names();
  names.insert(names.end(), old.begin(), old.end());
  return names;
}

// Adds the AEAD that is no cipher in a mode.
std::vector<std::string> names_for_raw() {
  std::vector<std::string> names = full_names();
  names.emplace_back(xaes_name);
  return names;
}

// Leaves single GPUs out, which the next machine may not have.
std::vector<std::string> engine_names() {
  std::vector<std::string> names{"auto", "cpu"};
  for (const EngineInfo& engine : engines()) {
    if (!engine.name.starts_with("cuda:")) names.push_back(engine.name);
  }
  return names;
}

// These options have a list of values. An option's description tells of its values too, but for people.
std::vector<std::string> words_of(const std::string& path, std::string option) {
  if (option == "--from-cipher") return names_to_read(full_names());
  if (option.starts_with("--from-")) option = "--" + option.substr(7);
  if (option == "--cipher" && path == "raw decrypt") return names_to_read(names_for_raw());
  if (option == "--cipher" && path.starts_with("raw")) return names_for_raw();
  if (option == "--cipher" && path == "keygen") return cipher_names();
  if (option == "--cipher") return suite_names();
  if (option == "--engine") return engine_names();
  if (option == "--padding") return {"pkcs7", "none", "x923", "iso7816", "zero"};
  if (option == "--progress") return {"auto", "bar", "json", "none"};
  if (option == "--md") return {"auto", "sha256", "md5", "sha1", "sha512"};
  return {};
}

CompletedOption describe_option(const std::string& path, const CLI::Option& option) {
  CompletedOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.description = option.get_description();
  described.takes_value = option.get_expected_max() != 0;
  const std::string type = option.get_type_name();
  described.value.words = words_of(path, described.names.back());
  described.value.is_file = type == "FILE" || type == "DIR" || type == "OUT";
  return described;
}

void describe_arguments(const CLI::App& command, CompletedCommand& described) {
  for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string name = option->get_name(true);
    if (name == "CIPHER") described.argument.words = full_names();
    if (name == "IN" || name == "OUT" || name == "FILE") described.argument.is_file = true;
  }
}

void describe_command(const CLI::App& command, const std::string& path, std::vector<CompletedCommand>& list) {
  CompletedCommand described;
  described.path = path;
  described.name = command.get_name();
  described.description = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) described.options.push_back(describe_option(path, *option));
  }
  describe_arguments(command, described);
  std::vector<const CLI::App*> below;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!each->get_group().empty()) below.push_back(each);
  }
  for (const CLI::App* each : below) described.argument.words.push_back(each->get_name());
  list.push_back(described);
  for (const CLI::App* each : below) describe_command(*each, path + (path.empty() ? "" : " ") + each->get_name(), list);
}

// `help` takes the words that the program itself takes.
void complete_help(std::vector<CompletedCommand>& list) {
  const auto help = std::ranges::find(list, "help", &CompletedCommand::path);
  if (help != list.end()) help->argument.words = list.front().argument.words;
}

std::string script_for(const std::string& shell, const CLI::App& program) {
  std::vector<CompletedCommand> commands;
  describe_command(program, "", commands);
  complete_help(commands);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw Error(ErrorCode::usage, "there are completions for bash, zsh and fish: name one of them");
}

}  // namespace

void add_completions_command(CLI::App& program, CommandRun& run) {
  CLI::App* command =
      program.add_subcommand("completions", "Print a script that makes a shell complete commands and options");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("")->required();
  command->callback([shell, &program, &run] {
    const std::string script = script_for(*shell, program);
    run = [script](RunExecutor*) {
      print_result(script);
      return 0;
    };
  });
}

}  // namespace phalanx
