// The keys of a recipient, of the files in which they lie.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "files/foreign/cms/key_recovery.hpp"

namespace phalanx {

/// Returns a private key and its certificate: that of `certificate`, of which the first that fits the key is taken, or else
/// that of the key's own file. Both are contents of files; `certificate` may be empty. Throws Error: as read_private_key and
/// read_certificates do; usage where no certificate fits the key.
[[nodiscard]] CmsKeys keys_of_files(Bytes private_key, Bytes certificate, const AskPassphrase& ask);

}  // namespace phalanx
