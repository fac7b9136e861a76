// This makes what `migrate` tries: every way to open an old file that its options allow.
#pragma once

#include "files/foreign/search/candidates.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// Returns all ciphers of the list with all digests and secrets that go with them. Reads the secrets, or asks for the only
/// one. Throws Error: usage where the options do not fit each other, or a key fits no cipher; and as read_secret does.
[[nodiscard]] Candidates read_candidates(const RawOptions& from);

}  // namespace phalanx
