// An executor may do a run over pieces instead of this process's threads. The library and the program know nothing else
// of other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/cipher.hpp>
#include <phalanx/options.hpp>
#include <span>
#include <string_view>

#include "files/system/progress.hpp"

namespace phalanx {

class PieceReader;
class PipelineStage;
class PieceSink;

/// The parts of a run, which stay the caller's.
struct RunParts {
  PieceReader& reader;
  std::span<PipelineStage* const> stages;
  PieceSink& sink;
};

/// Does runs for whoever is given it: the group of ranks of phalanx-mpi is one. Any number of threads asks it.
class RunExecutor {
 public:
  RunExecutor() = default;
  RunExecutor(const RunExecutor&) = delete;
  RunExecutor& operator=(const RunExecutor&) = delete;
  virtual ~RunExecutor() = default;

  /// Takes all pieces of the run through its parts, as run_pieces does, and finishes none of the parts. Afterwards
  /// stages and sink are in the state in which a local run leaves them. `engine` is the one that was asked for: "cuda".
  /// Returns the bytes read. If it cannot take these parts, it does nothing and returns nothing. Throws the Error of
  /// the first piece that failed.
  [[nodiscard]] virtual std::optional<std::uint64_t> run(const RunParts& parts, std::string_view engine,
                                                         Progress& progress) = 0;

  /// Returns how many pieces are done side by side. Several files at once keep the workers busy.
  [[nodiscard]] virtual std::size_t num_workers() const = 0;

  /// Runs of so many bytes in all are to come, side by side.
  virtual void plan_bytes(std::uint64_t num_bytes) = 0;
};

/// With what a run is done, and by what.
struct RunOptions : EngineOptions {
  RunExecutor* executor = nullptr;  ///< the caller's; nullptr: this process's threads
  CipherPolicy policy{};            ///< of a bare cipher

  RunOptions() = default;
  RunOptions(EngineOptions options, RunExecutor* by = nullptr)
      : EngineOptions(std::move(options)), executor(by) {}  // NOLINT
};

}  // namespace phalanx
