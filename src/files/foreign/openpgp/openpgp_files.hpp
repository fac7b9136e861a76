// This decrypts IN, an encrypted message of OpenPGP, as OUT.
#pragma once

#include "files/foreign/openpgp/openpgp_message.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

struct DecryptedOpenPgp {
  bool is_signed = false;  ///< the content; nobody checked the signature
};

/// Returns whether the message is verified before anything is written. An output that nobody sees before commit takes what
/// is checked later.
[[nodiscard]] bool is_read_twice(const OpenPgpMessage& message, const Output& output);

/// Decrypts the content of an open message to an output that is open. Where `is_read_twice` holds, the message is verified
/// first. The caller judges the input's watch, and commits. Throws Error: as OpenPgpMessage and Output do, and
/// format for a content that is not read.
DecryptedOpenPgp decrypt_openpgp(OpenPgpMessage& message, Output& output, Progress& progress);

}  // namespace phalanx
