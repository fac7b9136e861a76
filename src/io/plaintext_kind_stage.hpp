// Recognising a plaintext by its beginning and its end while it goes by.
#pragma once

#include <string>

#include "formats/plaintext_kind.hpp"
#include "io/piece_run.hpp"

namespace phalanx {

class PlaintextKindStage : public PieceStage {
 public:
  [[nodiscard]] bool only_looks() const override { return true; }
  void process(Piece& piece) override;
  [[nodiscard]] bool describe(JobWriter& job) const override;
  void report(JobWriter& report) const override;
  void merge(JobReader& report) override;

  /// "" if it is of none that is known.
  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// Whether it ends as that kind does, too.
  [[nodiscard]] bool ends_as_kind() const { return is_among(kind_, ends_as_); }

 private:
  std::string kind_;         // set by whoever has the first piece
  EndingKinds ends_as_ = 0;  // and by whoever has the last
};

}  // namespace phalanx
