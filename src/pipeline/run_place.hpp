// Where a run over pieces may be done instead of on this process's threads. All that the library and the program know of
// other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/options.hpp>
#include <span>
#include <string_view>

#include "files/progress.hpp"

namespace phalanx {

class PieceReader;
class PieceStage;
class PieceSink;

/// The parts of a run, which stay the caller's.
struct RunParts {
  PieceReader& reader;
  std::span<PieceStage* const> stages;
  PieceSink& sink;
};

/// Any number of threads asks it.
class RunPlace {
 public:
  RunPlace() = default;
  RunPlace(const RunPlace&) = delete;
  RunPlace& operator=(const RunPlace&) = delete;
  virtual ~RunPlace() = default;

  /// Takes all pieces of the run through its parts, as run_pieces says, and finishes none of them: afterwards stages and
  /// sink know what they would know had they done it. `engine` is the one that was asked for: "cuda". Returns the bytes
  /// read; nothing, having done nothing, where it cannot take these parts. Throws the Error of the first piece that failed.
  [[nodiscard]] virtual std::optional<std::uint64_t> run(const RunParts& parts, std::string_view engine,
                                                         Progress& progress) = 0;

  /// How many do pieces side by side: several files at once keep them busy.
  [[nodiscard]] virtual std::size_t num_workers() const = 0;

  /// Runs of so many bytes in all are to come, side by side.
  virtual void plan_bytes(std::uint64_t num_bytes) = 0;
};

/// With what a run is done, and where.
struct RunOptions : Options {
  RunPlace* place = nullptr;  ///< the caller's; nullptr: this process's threads

  RunOptions() = default;
  RunOptions(Options options, RunPlace* where = nullptr) : Options(std::move(options)), place(where) {}  // NOLINT
};

}  // namespace phalanx
