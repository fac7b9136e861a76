// A message of OpenPGP as an old message, for whoever reads those of any format.
#pragma once

#include <memory>

#include "files/foreign/message.hpp"
#include "files/foreign/openpgp/openpgp_message.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Opens the message, and fills in the choice what it says of itself: its cipher and its mode. Its reader gives the
/// content, and the last piece once all of the message was checked. The input stays the caller's. Throws as
/// OpenPgpMessage does.
[[nodiscard]] std::unique_ptr<OldMessage> open_openpgp(const OpenPgpKeys& keys, Input& input, MatchedCandidate& choice);

}  // namespace phalanx
