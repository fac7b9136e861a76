// Asking a person for a secret.
#pragma once

#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Writes `question` to /dev/tty and reads a line there with echo off; the line end is not part of it. Throws Error (usage)
/// with `instead`, what to give in its place, if there is no terminal. No bar is drawn until it is answered (BarPause).
[[nodiscard]] SecretBytes prompt_secret(const std::string& question, const std::string& instead);

/// The same with echo on, for what is no secret.
[[nodiscard]] SecretBytes prompt_public(const std::string& question, const std::string& instead);

/// As prompt_secret, asked twice. Throws Error (usage) if the two differ.
[[nodiscard]] SecretBytes prompt_secret_twice(const std::string& question, const std::string& instead);

}  // namespace phalanx
