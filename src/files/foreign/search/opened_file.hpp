// This opens a foreign file by whichever candidate fits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "files/foreign/message.hpp"
#include "files/foreign/search/candidates.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/foreign/search/key_evidence.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// All that opens a foreign file goes this way: `raw decrypt`, migrations, and the public reader of a path. So the search
/// runs once for a file, and no key is derived twice.
class OpenedFile {
 public:
  /// Finds out what the candidates leave open, and reads what stands before the ciphertext. With `always_search` it finds
  /// out whether the only candidate fits, too, where the input can seek and padding shows it. Candidates and input stay the
  /// caller's. Throws as find_candidate, ForeignMessage and CmsMessage do, and as explain_unopened does for a file of
  /// another kind.
  OpenedFile(const Candidates& candidates, Input& input, KeyTrials& trials, bool always_search = false);

  [[nodiscard]] const MatchedCandidate& choice() const { return choice_; }
  [[nodiscard]] OldMessage& message() { return *message_; }
  [[nodiscard]] const OldMessage& message() const { return *message_; }

  /// Returns where the file begins; nothing for an input that cannot seek.
  [[nodiscard]] const std::optional<std::uint64_t>& start() const { return start_; }

 private:
  std::optional<std::uint64_t> start_;
  MatchedCandidate choice_;
  std::unique_ptr<OldMessage> message_;  // refers to the choice's plan
};

}  // namespace phalanx
