// This tells structures of ASN.1 in DER or BER (ITU-T X.690) by their first fields: CMS (RFC 5652, RFC 5083), PKCS #8,
// PKCS #12 and certificates.
#pragma once

#include <optional>
#include <string>

#include "files/recognition/file_glimpse.hpp"
#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises a structure. `form` is how it lies in the file: "" for DER, "PEM" or "mail".
[[nodiscard]] std::optional<RecognisedFile> recognise_der(const FileGlimpse& file, const std::string& form = "");

}  // namespace phalanx
