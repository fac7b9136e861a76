// This tries whether an old volume in XTS is text under sectors of another usual size, too, and a file of `openssl enc`
// under other data units.
#pragma once

#include <cstdint>
#include <string>

#include "files/foreign/message_plan.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// An old volume and what was read of it.
struct ReadVolume {
  const MessagePlan& plan;  ///< of XTS
  Bytes secret;             ///< its key, or the passphrase of `openssl enc`
  Bytes derived;            ///< what a passphrase gives, where it is known
  Input& input;             ///< can seek
  std::uint64_t start = 0;  ///< where the volume begins in it
  const PlaintextMac& mac;  ///< of its plaintext under the plan
};

/// Returns the first of the other usual layouts under which all of the volume is text, and another text than under the
/// plan. The layout is in words, as in "sectors of 4096 bytes"; "" if there is none. The input stands where it stood
/// before. Throws Error (runtime) where it cannot be read.
[[nodiscard]] std::string find_other_sectors(const ReadVolume& volume);

}  // namespace phalanx
