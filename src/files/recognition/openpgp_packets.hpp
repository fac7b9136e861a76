// OpenPGP's packets (RFC 4880, RFC 9580), as far as they show what a message, a signature or a key is.
#pragma once

#include <optional>

#include "files/recognition/file_glimpse.hpp"
#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Reads the packets that a file begins with, each with its fields: the first byte alone says nothing.
[[nodiscard]] std::optional<RecognisedFile> recognise_openpgp(const FileGlimpse& file);

}  // namespace phalanx
