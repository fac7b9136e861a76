// Recognising a plaintext by its beginning while it goes by.
#pragma once

#include <string>

#include "io/piece_run.hpp"

namespace phalanx {

class PlaintextKindStage : public PieceStage {
 public:
  [[nodiscard]] bool only_looks() const override { return true; }
  void process(Piece& piece) override;
  [[nodiscard]] bool describe(JobWriter& job) const override;
  void report(JobWriter& report) const override { report.put(kind_); }
  void merge(JobReader& report) override;

  /// "" if it is of none that is known.
  [[nodiscard]] const std::string& kind() const { return kind_; }

 private:
  std::string kind_;  // set by whoever has the first piece
};

}  // namespace phalanx
