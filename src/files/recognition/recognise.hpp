// The one recogniser: what a file is, by its bytes, and whose program opens it.
#pragma once

#include "files/recognition/file_glimpse.hpp"
#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises a file that has a byte at least. Base64, hex digits and UTF-16 are looked through: the kind is that of what
/// they hold, if that is known. Random bytes are named for certain less than once in 2^32 times for each kind.
[[nodiscard]] RecognisedFile recognise(const FileGlimpse& file);

}  // namespace phalanx
