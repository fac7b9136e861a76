// These are the failures that depend on a key.
#pragma once

#include <string>

namespace phalanx {

/// Throws the one Error (wrong_key) of a message that is not opened: nobody learns which of its reasons it was.
[[noreturn]] void refuse_to_open_message(const std::string& name);

/// Throws Error (wrong_key) for a session key whose size is not that of the message's cipher.
[[noreturn]] void refuse_session_key(const std::string& name);

}  // namespace phalanx
