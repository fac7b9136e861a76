// The ranks of an MPI job: who they are, and bytes between them. The only part that knows MPI.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engines/secret_bytes.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// What came from another rank.
struct RankMessage {
  int from = 0;
  SecretBytes bytes;  ///< of our own; MPI's buffers are its own
};

/// One object while MPI runs. All calls come from the thread that made it. What fails in MPI ends all ranks, with one line.
class Ranks {
 public:
  /// Starts MPI, which takes its own arguments away. Without mpirun there is one rank.
  Ranks(int& argc, char**& argv);
  ~Ranks();  ///< waits for all ranks
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int num_ranks() const { return num_ranks_; }
  [[nodiscard]] int rank_on_host() const { return rank_on_host_; }    ///< 0, 1, ... among those of this machine
  [[nodiscard]] int ranks_on_host() const { return ranks_on_host_; }  ///< of this machine
  [[nodiscard]] const std::string& host() const { return host_; }

  void send(int to, Bytes bytes);

  /// What has come, if anything has. Ends this process as an interruption does where mpirun has ended before it.
  [[nodiscard]] std::optional<RankMessage> receive();

 private:
  void check(int result, const char* action) const;
  void end_without_launcher() const;

  int rank_ = 0, num_ranks_ = 1, rank_on_host_ = 0, ranks_on_host_ = 1;
  std::string host_;
  pid_t launcher_;
};

}  // namespace phalanx
