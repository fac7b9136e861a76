// Archives that may be encrypted: zip, 7z and RAR.
#pragma once

#include <optional>

#include "files/recognition/file_glimpse.hpp"
#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises zip (PKWARE's APPNOTE) by its entries, of which the list at the file's end counts where it is seen.
[[nodiscard]] std::optional<RecognisedFile> recognise_zip(const FileGlimpse& file);

/// Recognises 7z by its first header, and by the last one where that is seen (7zFormat.txt of the LZMA SDK).
[[nodiscard]] std::optional<RecognisedFile> recognise_seven_zip(const FileGlimpse& file);

/// Recognises RAR of versions 4 and 5 by its first blocks (RAR 5.0 archive format; technote.txt of RAR 4).
[[nodiscard]] std::optional<RecognisedFile> recognise_rar(const FileGlimpse& file);

}  // namespace phalanx
