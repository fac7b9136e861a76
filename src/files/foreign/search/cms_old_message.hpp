// A message of CMS as an old message, for whoever reads those of any format.
#pragma once

#include <memory>

#include "files/foreign/cms/key_recovery.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Opens the message, in GCM once its tag was verified, and fills in the choice what it says of itself: its cipher, its mode
/// and its iv. The input stays the caller's. Throws as CmsMessage does.
[[nodiscard]] std::unique_ptr<OldMessage> open_cms(const CmsKeys& keys, Input& input, MatchedCandidate& choice);

}  // namespace phalanx
