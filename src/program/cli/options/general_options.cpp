#include "program/cli/options/general_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr int most_threads = 4096;
constexpr double fewest_seconds = 0.001;
constexpr double most_seconds = 60;
constexpr const char* public_key_group = "Public keys of age";

}  // namespace

CLI::Validator whole_number(std::uint64_t lowest, std::uint64_t highest) {
  const auto check = [lowest, highest](std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || number < lowest || number > highest) {
      return fmt::format("give a whole number from {} to {}", lowest, highest);
    }
    text = fmt::to_string(number);
    return "";
  };
  return CLI::Validator(check, "");
}

CLI::Validator number_of_seconds() {
  const auto check = [](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && number >= fewest_seconds && number <= most_seconds) return "";
    return fmt::format("give a number of seconds from {} to {}", fewest_seconds, most_seconds);
  };
  return CLI::Validator(check, "");
}

void add_stream_arguments(CLI::App& command, std::string& in, std::string& out) {
  command.add_option("IN", in, "file to read; - or nothing: standard input")->type_name("");
  add_output_argument(command, out, "file to write; - or nothing: standard output");
}

// This does not go by excludes(), which the help would show at both of them.
void add_output_argument(CLI::App& command, std::string& out, const std::string& description) {
  const CLI::Option* const argument = command.add_option("OUT", out, description)->type_name("");
  const auto keep = [argument, &out](const std::string& path) {
    if (argument->count() != 0) throw CLI::ExcludesError("OUT", "--output");
    out = path;
  };
  command.add_option_function<std::string>("-o,--output", keep, "OUT, as an option")->type_name("OUT");
}

void add_force_option(CLI::App& command, bool& force) {
  mark_common(command.add_flag("-f,--force", force, "replace OUT if it exists"));
}

void add_engine_options(CLI::App& command, RequestedEngine& options) {
  mark_common(command.add_option("--engine", options.engine, "where to run: auto, cpu, or one of `phalanx engines`")
                  ->type_name("NAME")
                  ->group("Engine"));
  command.add_option("--threads", options.num_threads, "threads that crypt; 0: all cores")
      ->type_name("N")
      ->transform(whole_number(0, most_threads))
      ->group("Engine");
}

void add_message_options(CLI::App& command, MessageOptions& options) {
  command.add_option("--progress", options.progress, "progress on standard error: auto, bar, json or none")
      ->type_name("STYLE")
      ->group("Messages");
  mark_common(command.add_flag("-v,--verbose", options.verbose, "say what was chosen and why")->group("Messages"));
  mark_common(
      command.add_flag("-q,--quiet", options.quiet, "no warnings, notes or progress; errors only")->group("Messages"));
}

void add_secret_options(CLI::App& command, SecretSources& sources, const MessageOptions& messages) {
  sources.warn = [&messages](const std::string& warning) { print_note(warning, messages.quiet); };
  const char* group = "Secrets (never arguments; without one of these they are asked for on the terminal)";
  if (!sources.is_asked_for) group = "Secrets (never arguments; without one of these nothing is opened)";
  if (sources.prefix == "from-") group = "The old secret (asked for on the terminal without one of these)";
  if (sources.prefix == "add-") group = "New recipients";
  if (sources.prefix == "remove-") group = "Recipients to remove, by what they open with";
  // Each source is kept as it is met, so that the list has the order of the arguments.
  const auto add = [&](SecretKind kind, const char* name, const char* description, const char* type) {
    const auto keep = [&sources, kind](const std::string& place) { sources.named.emplace_back(kind, place); };
    return command.add_option_function<std::string>(sources.option(name), keep, description)
        ->trigger_on_parse()
        ->type_name(type)
        ->group(group);
  };
  const auto descriptor = whole_number(0, std::numeric_limits<int>::max());
  mark_common(add(SecretKind::key_file, "key-file", "the key: its bytes, or their hex digits and a newline", "FILE"));
  add(SecretKind::key_fd, "key-fd", "the same, read from a file descriptor to its end", "N")->transform(descriptor);
  add(SecretKind::key_env, "key-env", "the same in hex, from an environment variable", "VAR");
  command
      .add_flag(sources.option("raw-key"), sources.raw_key,
                "a key file of hex digits without a line end is no mistake: these characters are the key")
      ->group(group);
  mark_common(add(SecretKind::passphrase_file, "passphrase-file", "the passphrase: the file's first line", "FILE"));
  add(SecretKind::passphrase_fd, "passphrase-fd", "the same, from a file descriptor", "N")->transform(descriptor);
}

void add_identity_option(CLI::App& command, SecretSources& sources) {
  const auto keep = [&sources](const std::string& file) { sources.named.emplace_back(SecretKind::identity_file, file); };
  const bool removes = sources.prefix == "remove-";
  mark_common(command
                  .add_option_function<std::string>(removes ? "--remove-identity" : "-i,--identity", keep,
                                                    "identities of age, as `phalanx keygen --identity` writes them")
                  ->trigger_on_parse()
                  ->type_name("FILE")
                  ->group(removes ? "Recipients to remove, by what they open with" : public_key_group));
}

void add_public_key_options(CLI::App& command, SecretSources& sources) {
  const bool adds = sources.prefix == "add-";
  const auto add = [&](SecretKind kind, const char* name, const char* description, const char* type) {
    const auto keep = [&sources, kind](const std::string& place) { sources.named.emplace_back(kind, place); };
    return command.add_option_function<std::string>(name, keep, description)
        ->trigger_on_parse()
        ->type_name(type)
        ->group(adds ? "New recipients" : public_key_group);
  };
  mark_common(add(SecretKind::recipient, adds ? "-r,--add-recipient" : "-r,--recipient",
                  "a public key of age, whose identity will open it", "AGE1..."));
  add(SecretKind::recipients_file, adds ? "-R,--add-recipients-file" : "-R,--recipients-file",
      "public keys of age, one a line; # begins a comment", "FILE");
  command
      .add_flag("--allow-mixed-recipients", sources.allow_mixed_recipients,
                "take public keys together that ask not to be mixed")
      ->group(adds ? "New recipients" : public_key_group);
}

}  // namespace phalanx
