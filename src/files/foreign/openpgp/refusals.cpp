#include "files/foreign/openpgp/refusals.hpp"

namespace phalanx {

void refuse_to_open_message(const std::string& name) {
  throw Error(ErrorCode::wrong_key,
              name + " is not opened: the passphrase or the session key is wrong, or the message was changed",
              {.name = name});
}

void refuse_to_read_message(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::format, name + " is not read: " + why, {.name = name});
}

}  // namespace phalanx
