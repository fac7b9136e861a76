// This decrypts IN, an encrypted message, as OUT.
#pragma once

#include <cstdint>

#include "files/foreign/cms/cms_message.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Decrypts the content of an open message to an output that is open. The caller judges the input's watch, and commits.
/// Returns the bytes of ciphertext. Throws Error: as CmsMessage::reader, its decryptor and Output do.
std::uint64_t decrypt_cms(CmsMessage& message, Output& output, const RunOptions& options, Progress& progress);

}  // namespace phalanx
