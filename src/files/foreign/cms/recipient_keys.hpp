// This reads the keys of a recipient from the files in which they lie.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "files/foreign/cms/key_recovery.hpp"

namespace phalanx {

/// Returns a private key and its certificate: the first in `certificate` that fits the key or, where that is empty, the one
/// in the key's own file. Both are contents of files. Throws as read_private_key and read_certificates do, and Error (usage)
/// where no given certificate fits the key.
[[nodiscard]] CmsKeys keys_of_files(Bytes private_key, Bytes certificate, const AskPassphrase& ask);

}  // namespace phalanx
