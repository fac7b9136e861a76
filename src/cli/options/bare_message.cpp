#include "cli/options/bare_message.hpp"

#include <CLI/CLI.hpp>

#include "text/hex.hpp"

namespace phalanx {

void add_bare_options(CLI::App& command, BareOptions& options) {
  const char* group = "C2SP chunked encryption alone";
  command.add_flag("--bare", options.bare, "no header: the message alone, under one key")->group(group);
  command.add_option("--context", options.context, "the application's context, in hex (empty)")
      ->type_name("HEX")
      ->group(group);
}

void check_bare_options(const BareOptions& options, const SecretSources& sources) {
  if (!options.bare) {
    if (options.context) throw Error(ErrorCode::usage, "--context goes with --bare only: a container has its own");
    return;
  }
  check_sources(sources);
  if (sources.names_passphrase()) {
    throw Error(ErrorCode::usage, "--bare takes a key, and a passphrase is none: give --key-file, --key-fd or --key-env");
  }
}

BareSecrets read_bare_secrets(const BareOptions& options, const SecretSources& sources, const Suite& suite, SecretUse use) {
  const std::string digits = options.context.value_or("");
  std::vector<std::uint8_t> context(digits.size() / 2);
  decode_hex(digits, "--context", context);
  return {.key = read_key(sources, suite.key_bytes, use), .context = std::move(context)};
}

}  // namespace phalanx
