// Which of several candidates opens a foreign file, and how the file is wrapped.
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

/// What a foreign file is opened with.
struct MatchedCandidate {
  MessagePlan plan;                 ///< of this file
  SecretBytes derived;              ///< what a passphrase gives, as ForeignMessage takes it; empty where it was not tried
  std::size_t secret = 0;           ///< which of Candidates::secrets
  OpenedWith with;                  ///< without the plaintext's kind
  std::vector<std::string> others;  ///< the names of the other candidates that were tried
};

/// Decides from the beginning and the end of a file that can seek. Candidates that have padding are judged by that of the
/// last block; the longest wins. Where several fit, and for modes without padding, what the first piece decrypts to must be
/// recognised. The input stands where it stood before. Throws UndecryptableFile, having counted the trials that failed, and
/// Error (usage) for what cannot seek.
[[nodiscard]] MatchedCandidate find_candidate(const Candidates& candidates, Input& input, KeyTrials& trials);

}  // namespace phalanx
