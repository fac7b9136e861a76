// What messages call a secret and where it comes from. Who gives a key, a passphrase or an identity itself where a file's
// name, a variable's or a public key should stand must not find it in a log: only what is such a name is repeated.
#pragma once

#include <string>

#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// "key-file", without dashes and prefix; of an index's keys what follows "index-".
[[nodiscard]] const char* option_name_of(SecretKind kind);

/// Whether messages may repeat `path`: something has that name.
[[nodiscard]] bool names_something(const std::string& path);

/// The same of a source's place: something has that name, the variable was set, or it is a public key of age.
[[nodiscard]] bool may_be_repeated(const SecretSource& source);

/// "key file k", and "file that --key-file names" where its name may be a secret.
[[nodiscard]] std::string message_name_of(const SecretSources& sources, const SecretSource& source);

/// "the key of k": what a message calls the secret.
[[nodiscard]] std::string name_of(const SecretSources& sources, const SecretSource& source);

}  // namespace phalanx
