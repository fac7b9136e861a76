// One process's share of a run that was described in bytes: the same reader, stages and sink, made here.
#pragma once

#include <string>

#include "pipeline/piece_job.hpp"

namespace phalanx {

class PieceQueue;

/// What a worker has of its own.
struct WorkerOptions {
  int num_threads = 0;
  std::string engine;  ///< instead of "cuda"; "": as described
};

/// Does those pieces of a described run that the queue gives, and nothing of what the process that asked does itself
/// before and after. Throws nothing but for want of memory.
[[nodiscard]] JobShare run_worker_share(Bytes description, const WorkerOptions& options, PieceQueue& queue,
                                        Progress& progress, ShareTimes& times);

}  // namespace phalanx
