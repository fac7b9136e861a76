// The memory of a job: keys, ivs, messages and outputs, random but the same in every run.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/measuring/contender.hpp"
#include "bench/measuring/task.hpp"

namespace phalanx::bench {

class Workload {
 public:
  explicit Workload(const Job& job);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const Task& task() const { return task_; }

  /// The same messages in ECB, which a peer runs in place of a mode that it lacks. Valid as long as the workload.
  [[nodiscard]] Task task_in_ecb() const;

  /// Turns the messages into sealed ones, which GCM decryption needs as its input; prepare() makes the run that seals.
  void seal_input(const std::function<Run(const Task&)>& prepare);

  /// Puts the input back (which crypting in place overwrites), and into the output what no cipher writes there by chance.
  void reset();

  /// All outputs, and the tags of GCM encryption.
  [[nodiscard]] Bytes out() const { return {out_, job_.total_bytes()}; }
  [[nodiscard]] Bytes tags() const;

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };
  using Memory = std::unique_ptr<std::uint8_t, Free>;

  static Memory allocate(std::size_t num_bytes);
  void make_messages();

  Job job_;
  std::vector<std::uint8_t> keys_;
  std::vector<std::uint8_t> ivs_;
  std::vector<std::uint8_t> tags_;
  std::vector<std::uint8_t> original_;  ///< the input, where it is overwritten
  Memory in_memory_;
  Memory out_memory_;
  std::uint8_t* out_ = nullptr;
  Task task_;
};

}  // namespace phalanx::bench
