// This is --bare, a message of C2SP chunked encryption alone, for other programs that have it.
#pragma once

#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/binding_options.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

struct BareOptions {
  bool bare = false;
};

void add_bare_options(CLI::App& command, BareOptions& options);

/// Throws Error (usage) with --bare for anything but one key, and for what binds containers, but for a context.
void check_bare_options(const BareOptions& options, const BindingOptions& binding, const SecretSources& sources);

}  // namespace phalanx
