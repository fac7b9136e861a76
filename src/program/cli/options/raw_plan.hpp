// This makes a plan of the options of `phalanx raw`.
#pragma once

#include "files/foreign/message_plan.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// Plans a message. Throws Error:
/// - usage, where the options do not fit each other or the cipher
/// - policy, where encrypting asks for a legacy cipher, mode or key derivation without --allow-legacy
[[nodiscard]] MessagePlan plan_raw(const RawOptions& options, Direction direction);

/// Says for SecretSources what `openssl enc -K` does with a key of a wrong length. Returns "" where the data is not of
/// `openssl enc`.
[[nodiscard]] std::string hint_of_key_size(const RawOptions& options);

}  // namespace phalanx
