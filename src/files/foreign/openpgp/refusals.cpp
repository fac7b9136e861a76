#include "files/foreign/openpgp/refusals.hpp"

#include <phalanx/error.hpp>

namespace phalanx {

void refuse_to_open_message(const std::string& name) {
  throw Error(ErrorCode::wrong_key,
              name + " is not opened: the passphrase or the session key is wrong, or the message was changed",
              {.name = name});
}

void refuse_session_key(const std::string& name) {
  throw Error(ErrorCode::wrong_key, name + " is not opened: the session key is that of another message", {.name = name});
}

}  // namespace phalanx
