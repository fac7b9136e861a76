// --key-per-rank: before anything is done, all ranks see that they read the same secrets, each from its own files.
#pragma once

#include <optional>

#include "cluster/cluster_options.hpp"
#include "cluster/rank_seal.hpp"
#include "cluster/ranks.hpp"

namespace phalanx {

/// Rank 0's part. Seals all messages from then on. Throws Error that names the first rank without the key: what that rank
/// says itself, or wrong_key.
void lead_key_agreement(Ranks& ranks, const ClusterOptions& options);

/// Another rank's part, where rank 0 asks for it.
class KeyAgreement {
 public:
  /// All stay the caller's.
  KeyAgreement(Ranks& ranks, int argc, char** argv) : ranks_(ranks), argc_(argc), argv_(argv) {}

  /// False if the message is about something else.
  [[nodiscard]] bool hear(Bytes message);

 private:
  void answer(Bytes salt);

  Ranks& ranks_;
  int argc_;
  char** argv_;
  std::optional<RankSeal> seal_;
};

}  // namespace phalanx
