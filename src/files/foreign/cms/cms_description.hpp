// What an encrypted message shows without a key.
#pragma once

#include <phalanx/files/cms.hpp>
#include <string>

#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Describes a message whose front it reads; in `problem` it says why it cannot. `name` is for that.
[[nodiscard]] CmsFacts describe_cms(ByteSource& source, const std::string& name);

}  // namespace phalanx
