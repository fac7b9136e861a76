// This asks a person for a secret.
#pragma once

#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Writes `question` to /dev/tty and reads a line there with echo off. The line end is not part of it. Throws Error (usage)
/// if there is no terminal, with `instead`, which says what to give in its place. No bar is drawn until the question is
/// answered (BarPause).
[[nodiscard]] SecretBytes prompt_secret(const std::string& question, const std::string& instead);

/// Asks as prompt_secret does, but with echo on, for what is no secret.
[[nodiscard]] SecretBytes prompt_public(const std::string& question, const std::string& instead);

/// Asks twice as prompt_secret does, and again where the two lines differ. Throws Error (usage) if they differ three times.
[[nodiscard]] SecretBytes prompt_secret_twice(const std::string& question, const std::string& instead);

}  // namespace phalanx
