// One rank's part in the jobs, rank 0's own as well.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <phalanx/bytes.hpp>
#include <string>
#include <thread>

#include "engine/secrets/secret_bytes.hpp"
#include "program/cluster/job_codec.hpp"
#include "program/cluster/worker_share.hpp"

namespace phalanx {

/// Each message between rank 0 and a worker begins with one of these numbers.
enum class MessageType : std::uint8_t {
  job = 1,   ///< number, first piece, end, whether more are to be asked for, description
  grant,     ///< number, first piece, end: no pieces where these are the same
  stop,      ///< number: take no more pieces
  quit,      ///< exit code
  ask,       ///< number: wants more pieces
  progress,  ///< number, bytes
  done,      ///< number, JobShare, PieceTimes, host
  key,       ///< salt of the team key
  has_key,   ///< host, the rank's own salt, and one message that is sealed; from rank 0: all have it
  no_key,    ///< host, error code, why; from rank 0: exit code
};

inline constexpr std::uint64_t most_exit_code = 255;

/// Reads the first number of a message. Throws Error (runtime) if it is none of these words.
[[nodiscard]] inline MessageType word_of(JobDecoder& message) {
  const MessageType word = message.choice(MessageType::no_key);
  if (word < MessageType::job) JobDecoder::refuse();
  return word;
}

class RankQueue;

/// Does its shares, each on a thread of its own, and says what became of them.
class Worker {
 public:
  /// `say` takes what is for rank 0, from any thread.
  Worker(WorkerOptions own, std::string host, std::function<void(Bytes)> say);
  ~Worker();  ///< waits for its shares
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// A message of rank 0's: job, grant or stop. Throws Error (runtime) for any other.
  void on_message(Bytes message);

 private:
  struct Share;
  void begin(std::uint64_t number, JobDecoder& job);
  void work(Share& share);

  void clear_finished();

  WorkerOptions own_;
  std::string host_;
  std::function<void(Bytes)> say_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<Share>> shares_;
  std::uint64_t next_number_ = 0;  ///< jobs come in the order of their numbers, each once
};

}  // namespace phalanx
