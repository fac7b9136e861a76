// These are the files that secrets come from, beside those that a run reads and writes.
#pragma once

#include <string>

#include "files/system/protected_files.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Adds the files of secrets to those that the run never writes.
void add_secret_files(const SecretSources& sources, ProtectedFiles& needed);

/// Throws Error (usage) where a secret takes all of standard input, or of another descriptor, and `in` is that too: it would
/// be empty. `what` is the name of `in` in messages. A passphrase is no such secret, since it ends with its line, and what
/// follows is left.
void check_standard_input(const SecretSources& sources, const std::string& in, const std::string& what = "IN");

/// Does both, for a command that reads `in` and writes one OUT.
[[nodiscard]] ProtectedFiles secret_files(const SecretSources& sources, const std::string& in);

}  // namespace phalanx
