#include "cli/general_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace phalanx {
namespace {

constexpr int most_threads = 4096;

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

void add_engine_options(CLI::App& command, EngineOptions& options) {
  command.add_option("--engine", options.engine, "where to run: auto, cpu, or one of `phalanx engines`")
      ->type_name("NAME")
      ->group("Engine");
  command.add_option("--threads", options.num_threads, "threads that crypt; 0: all cores")
      ->type_name("N")
      ->transform(whole_number(0, most_threads))
      ->group("Engine");
}

void add_message_options(CLI::App& command, MessageOptions& options) {
  command.add_option("--progress", options.progress, "progress on standard error: auto, bar, json or none")
      ->type_name("STYLE")
      ->group("Messages");
  command.add_flag("-v,--verbose", options.verbose, "say what was chosen and why")->group("Messages");
  command.add_flag("-q,--quiet", options.quiet, "no warnings, notes or progress; errors only")->group("Messages");
}

void add_secret_options(CLI::App& command, SecretSources& sources) {
  const char* group = "Secrets (never arguments; without one of these they are asked for on the terminal)";
  const auto descriptor = whole_number(0, std::numeric_limits<int>::max());
  command.add_option("--key-file", sources.key_file, "the key: its bytes, or their hex digits and a newline")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--key-fd", sources.key_fd, "the same, read from a file descriptor to its end")
      ->type_name("N")
      ->transform(descriptor)
      ->group(group);
  command.add_option("--key-env", sources.key_env, "the same in hex, from an environment variable")
      ->type_name("VAR")
      ->group(group);
  command.add_option("--passphrase-file", sources.passphrase_file, "the passphrase: the file's first line (--openssl)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--passphrase-fd", sources.passphrase_fd, "the same, from a file descriptor")
      ->type_name("N")
      ->transform(descriptor)
      ->group(group);
}

std::string describe_engine(const Cipher& cipher, const EngineOptions& options) {
  const char* from_environment = std::getenv("PHALANX_ENGINE");
  std::string reason = "auto: the widest instruction set of this CPU";
  if (!options.engine.empty() && options.engine != "auto") {
    reason = "--engine " + options.engine;
  } else if (options.engine.empty() && from_environment != nullptr && std::string(from_environment) != "auto" &&
             *from_environment != '\0') {
    reason = fmt::format("PHALANX_ENGINE={}", from_environment);
  }
  return fmt::format("{} runs on {} ({})", cipher.name(), cipher.engine(), reason);
}

}  // namespace phalanx
