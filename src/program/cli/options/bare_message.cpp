#include "program/cli/options/bare_message.hpp"

#include <CLI/CLI.hpp>

namespace phalanx {

void add_bare_options(CLI::App& command, BareOptions& options) {
  command
      .add_flag("--bare", options.bare, "no header: the message alone, under one key, with the --context if there is one")
      ->group("C2SP chunked encryption alone");
}

void check_bare_options(const BareOptions& options, const BindingOptions& binding, const SecretSources& sources) {
  if (!options.bare) return;
  refuse_names_of_bare(binding);
  check_sources(sources);
  if (sources.names_identity() || sources.names_public_key()) {
    throw Error(ErrorCode::usage, "--bare takes a key, and one of age is none: give --key-file, --key-fd or --key-env");
  }
  if (sources.names_passphrase()) {
    throw Error(ErrorCode::usage, "--bare takes a key, and a passphrase is none: give --key-file, --key-fd or --key-env");
  }
}

}  // namespace phalanx
