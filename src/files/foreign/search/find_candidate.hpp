// This finds which of several candidates opens a foreign file, and how the file is wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/foreign/search/candidates.hpp"
#include "files/foreign/search/key_evidence.hpp"
#include "files/foreign/search/opened_with.hpp"
#include "files/foreign/search/unopened_file.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Holds what a foreign file is opened with.
struct MatchedCandidate {
  MessagePlan plan;                 ///< of this file
  SecretBytes derived;              ///< what a passphrase gives, as ForeignMessage takes it; empty where it was not tried
  std::size_t secret = 0;           ///< which of Candidates::secrets
  OpenedWith with;                  ///< without the plaintext's kind
  std::vector<std::string> others;  ///< the names of the other candidates that were tried
};

/// Decides from the beginning and the end of a file that can seek. Candidates that have padding are judged by that of the
/// last block, and the longest wins. Where several fit, those whose first piece decrypts to a known kind go before the
/// others. In modes without padding, it must be of one. The input stands where it stood before. Throws UndecryptableFile,
/// and counts a failure of each candidate where any was tried. Throws Error: usage for an input that cannot seek, runtime
/// where it cannot be read.
[[nodiscard]] MatchedCandidate find_candidate(const Candidates& candidates, Input& input, KeyTrials& trials);

}  // namespace phalanx
