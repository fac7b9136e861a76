// This names a secret and where it comes from, for messages. A user may give a secret itself by mistake, where the name of a
// file or of a variable, or a public key, should stand. It must not stand in a log, so only what is such a name is repeated.
#pragma once

#include <string>

#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Returns a name such as "key-file", without dashes and prefix; of an index's keys what follows "index-".
[[nodiscard]] const char* option_name_of(SecretKind kind);

/// Says whether messages may repeat `path`, since something has that name.
[[nodiscard]] bool names_something(const std::string& path);

/// Says whether messages may repeat a source's place. Something has that name, the variable was set, or it is a descriptor
/// or a public key of age.
[[nodiscard]] bool may_be_repeated(const SecretSource& source);

/// Returns "key file k", or "file that --key-file names" where its name may be a secret.
[[nodiscard]] std::string message_name_of(const SecretSources& sources, const SecretSource& source);

/// Returns what a message calls the secret, such as "the key of k".
[[nodiscard]] std::string name_of(const SecretSources& sources, const SecretSource& source);

}  // namespace phalanx
