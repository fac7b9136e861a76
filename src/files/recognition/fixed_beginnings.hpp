// Kinds that are told by a fixed beginning, ours among them.
#pragma once

#include <optional>

#include "files/recognition/file_glimpse.hpp"
#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises what has a magic of four bytes or more, and fields behind the shorter ones that are as they must be.
[[nodiscard]] std::optional<RecognisedFile> recognise_beginning(const FileGlimpse& file);

/// Recognises what plaintext_kind.hpp has a name for, but text.
[[nodiscard]] std::optional<RecognisedFile> recognise_plain_format(const FileGlimpse& file);

}  // namespace phalanx
