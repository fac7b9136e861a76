// A mail's header (RFC 5322), as far as it says that the body is encrypted or signed (RFC 8551, RFC 3156).
#pragma once

#include <optional>
#include <string_view>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises S/MIME and PGP/MIME, which the field Content-Type says.
[[nodiscard]] std::optional<RecognisedFile> recognise_mail(std::string_view text);

}  // namespace phalanx
