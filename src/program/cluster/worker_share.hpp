// One process's share of a run that was described in bytes: the same reader, stages and sink, made here.
#pragma once

#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// One rank reports this of its share of a job.
struct JobShare {
  static constexpr std::uint64_t none = no_piece;

  std::uint64_t failed_piece = none;  ///< the first that failed
  ErrorCode code{};
  std::string message;  ///< of the Error
  SecretBytes report;   ///< what stages and sink tell rank 0, if nothing failed
};

/// Each worker has these options for itself.
struct WorkerOptions {
  int num_threads = 0;
  std::string engine;  ///< instead of "cuda"; "": as described
};

/// Does those pieces of a described run that the queue gives, and nothing of what the process that asked does itself
/// before and after. Throws nothing but for want of memory.
[[nodiscard]] JobShare run_worker_share(Bytes description, const WorkerOptions& options, WorkQueue& queue,
                                        Progress& progress, PieceTimes& times);

}  // namespace phalanx
