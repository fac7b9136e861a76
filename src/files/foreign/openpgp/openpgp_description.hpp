// This describes what an encrypted message shows without a key.
#pragma once

#include <phalanx/files/openpgp.hpp>
#include <string>

#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Reads the front of a message, and describes it. Where that fails, `problem` says why; `name` is for its words.
[[nodiscard]] OpenPgpFacts describe_openpgp(ByteSource& source, const std::string& name);

}  // namespace phalanx
