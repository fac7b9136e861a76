// This reads a passphrase's line.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Holds a line, without its LF.
struct FirstLine {
  SecretBytes bytes;
  bool ends_with_crlf = false;  ///< the CR is the last of the bytes

  /// Returns the line without its CR.
  [[nodiscard]] Bytes without_end() const { return Bytes(bytes).first(bytes.size() - (ends_with_crlf ? 1 : 0)); }
};

/// Returns the bytes of a descriptor up to the first LF or the end. They are read one by one, so that what follows stays
/// there. `name` is for messages. Throws Error (usage) if the line is longer than 4096 bytes.
[[nodiscard]] FirstLine read_first_line(int descriptor, const std::string& name);

}  // namespace phalanx
