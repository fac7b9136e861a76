// This judges the key of an old file, once all of the file was read.
#pragma once

#include <cstdint>
#include <optional>

#include "files/foreign/message.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/foreign/search/key_evidence.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// An old file and what was read of it.
struct ReadOldFile {
  const MatchedCandidate& choice;
  const OldMessage& message;
  Bytes secret;  ///< its key or passphrase
  Input& input;
  std::optional<std::uint64_t> start;  ///< where the file begins in it; nothing where it cannot seek
  const PlaintextKindStage& kind;      ///< of its plaintext
  const PlaintextMac& mac;
};

/// Reads the file again where that can show more: a PNG image's sums, and sectors of other sizes. The input stands where it
/// stood before. Throws Error (runtime) where it cannot be read.
[[nodiscard]] KeyEvidence judge_key(const ReadOldFile& file);

}  // namespace phalanx
