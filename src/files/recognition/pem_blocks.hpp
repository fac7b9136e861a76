// Texts with "-----BEGIN ...-----" (RFC 7468), armored files of OpenPGP and age among them.
#pragma once

#include <optional>
#include <string_view>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises the first block of a text whose label is known; what stands before it is skipped. Nothing where there is none.
[[nodiscard]] std::optional<RecognisedFile> recognise_pem(std::string_view text);

}  // namespace phalanx
