// The ranks of an MPI job: who they are, and bytes between them. The only part that knows MPI.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <thread>

#include "engine/secrets/secret_bytes.hpp"
#include "program/cluster/rank_seal.hpp"

namespace phalanx {

/// Another rank has sent this.
struct RankMessage {
  int from = 0;
  SecretBytes bytes;  ///< of our own; MPI's buffers are its own
};

/// No message is longer.
inline constexpr std::size_t most_message_bytes = std::size_t{1} << 20;

/// There is one object while MPI runs. All calls come from the thread that made it. A failure in MPI ends all ranks,
/// with one line. If mpirun ends before this process, the process ends as by an interruption, whatever call of MPI it
/// waits in.
class Ranks {
 public:
  /// Starts MPI, which takes its own arguments away, unless it runs already; then whoever started it ends it. Without mpirun
  /// there is one rank.
  Ranks(int& argc, char**& argv);
  ~Ranks();  ///< waits for all ranks, if it started MPI
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int num_ranks() const { return num_ranks_; }
  [[nodiscard]] int rank_on_host() const { return rank_on_host_; }    ///< 0, 1, ... among those of this machine
  [[nodiscard]] int ranks_on_host() const { return ranks_on_host_; }  ///< of this machine
  [[nodiscard]] const std::string& host() const { return host_; }

  void send(int to, Bytes bytes);

  /// Ends all ranks, with one line: what came from that rank is none of what it may say.
  [[noreturn]] void refuse(int from, const std::string& why) const;

  /// From now on all that is sent is sealed, and what comes must be.
  void seal_with(RankSeal seal) { seal_ = std::move(seal); }

  /// Returns a message, if any has come.
  [[nodiscard]] std::optional<RankMessage> receive();

 private:
  void check(int result, const char* action) const;
  void watch_launcher();
  void end_after_launcher() const;

  int rank_ = 0, num_ranks_ = 1, rank_on_host_ = 0, ranks_on_host_ = 1;
  bool has_started_ = false;
  std::string host_;
  pid_t launcher_;
  std::optional<RankSeal> seal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread watch_;
};

}  // namespace phalanx
