// The workers as rank 0 leads it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/pipeline/run_executor.hpp"
#include "program/cluster/ranks.hpp"
#include "program/cluster/worker.hpp"

namespace phalanx {

/// Each rank gets one range of the same size, or a small one and more as ranks ask for them.
enum class Distribution : std::uint8_t { even, dynamic };

/// Takes jobs from any thread of rank 0, and deals them out from the thread that serves.
class Coordinator : public RunExecutor {
 public:
  Coordinator(Ranks& ranks, Distribution distribution, WorkerOptions own);

  [[nodiscard]] std::optional<std::uint64_t> run(const RunParts& parts, std::string_view engine,
                                                 Progress& progress) override;
  /// All pieces of a run that is described (job_description.hpp). Returns what each rank reports of its share. Throws the
  /// Error of the first piece that failed.
  [[nodiscard]] std::vector<SecretBytes> run_described(Bytes description, std::uint64_t num_pieces, std::uint64_t num_bytes,
                                                       Progress& progress);

  [[nodiscard]] std::size_t num_workers() const override { return static_cast<std::size_t>(ranks_.num_ranks()); }
  /// A run of less than a rank's even part of that may be one rank's.
  void plan_bytes(std::uint64_t num_bytes) override;

  /// Sends and receives until `is_over`. The thread that started MPI.
  void serve(const std::atomic<bool>& is_over);

  /// Tells the other ranks to end.
  void quit(int exit_code);

  /// Prints the work of each rank, a line each, on standard error.
  void print_table(bool json) const;

 private:
  struct Job;
  struct PieceRange {
    std::uint64_t first, end;
  };
  struct Tally {
    PieceTimes times{};
    std::string host{};
    std::uint64_t bytes_at_work = 0;  // of its shares of jobs, as far as an even share goes
    std::uint64_t bytes_given = 0;    // the same since the beginning
  };

  void warn_serial();
  void begin(Job& job);
  void give(Job& job, int rank, PieceRange range);
  void on_message(int from, Bytes message);
  void take(int from, Bytes message);
  void answer(Job& job, int rank);
  [[nodiscard]] static PieceRange next_range(Job& job);
  void take_result(Job& job, int rank, JobDecoder& result);
  void fail(Job& job, std::uint64_t piece, const Error& error);
  void send(int rank, Bytes message);
  [[nodiscard]] std::vector<int> least_busy(std::size_t num_workers) const;

  Ranks& ranks_;
  Distribution distribution_;
  Worker own_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::uint64_t num_jobs_ = 0;
  std::deque<Job*> waiting_;              // asked for, and not begun
  std::deque<SecretBytes> own_messages_;  // of rank 0's own worker
  std::map<std::uint64_t, Job*> running_;
  std::vector<Tally> tallies_;
  std::atomic<std::uint64_t> even_part_{0};  // of all that is to come
  bool has_told_ = false;
};

}  // namespace phalanx
