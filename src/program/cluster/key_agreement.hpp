// --key-per-rank: before anything is done, all ranks see that they read the same secrets, each from its own files.
#pragma once

#include <optional>

#include "program/cluster/cluster_options.hpp"
#include "program/cluster/rank_seal.hpp"
#include "program/cluster/ranks.hpp"

namespace phalanx {

/// Rank 0's part. Seals all messages from then on. Throws Error that names the first rank without the key: what that rank
/// says itself, or wrong_key.
void lead_key_agreement(Ranks& ranks, const ClusterOptions& options);

/// Where that has thrown, or did not come to it: tells the others to end.
void give_up_key_agreement(Ranks& ranks, int exit_code);

/// This is another rank's part. If the rank's arguments have --key-per-rank, it hears nothing but the agreement until
/// that is made. From then on all messages are sealed.
class KeyAgreement {
 public:
  /// All stay the caller's.
  KeyAgreement(Ranks& ranks, int argc, char** argv)
      : ranks_(ranks), argc_(argc), argv_(argv), is_awaited_(asks_for_key_per_rank(argc, argv)) {}

  /// Returns whether the message is for the agreement. Until that is made, rank 0's question always is, and all
  /// messages are where it is awaited.
  [[nodiscard]] bool concerns(Bytes message) const;

  /// Takes a message of rank 0. Returns an exit code if there will be no agreement. Throws Error (runtime) for a
  /// message that is no part of it.
  [[nodiscard]] std::optional<int> on_message(Bytes message);

 private:
  void answer(Bytes salt);

  Ranks& ranks_;
  int argc_;
  char** argv_;
  bool is_awaited_, is_made_ = false, has_answered_ = false;
  std::optional<RankSeal> seal_;
};

}  // namespace phalanx
