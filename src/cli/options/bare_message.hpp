// --bare: a message of C2SP chunked encryption alone, for other programs that have it.
#pragma once

#include <vector>

#include "cli/console/command_line_library.hpp"
#include "cli/options/binding_options.hpp"
#include "cli/secrets/secret_source.hpp"
#include "container/format/suite.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

struct BareOptions {
  bool bare = false;
};

struct BareSecrets {
  SecretBytes key;
  std::vector<std::uint8_t> context;
};

void add_bare_options(CLI::App& command, BareOptions& options);

/// With --bare: throws Error (usage) for anything but one key, and for what binds containers, but for a context.
void check_bare_options(const BareOptions& options, const BindingOptions& binding, const SecretSources& sources);

/// The key, asked for on the terminal if none is named, twice if it seals, and the context, which may be empty.
[[nodiscard]] BareSecrets read_bare_secrets(const BindingOptions& binding, const SecretSources& sources, const Suite& suite,
                                            SecretUse use);

}  // namespace phalanx
