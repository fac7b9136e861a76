// Recognising a plaintext by its beginning, and text wherever it is looked at, while it goes by.
#pragma once

#include <atomic>
#include <string>

#include "foreign/search/plaintext_kind.hpp"
#include "pipeline/scheduler.hpp"

namespace phalanx {

/// Pieces may come in any order, on any thread, and to several processes.
class PlaintextKindStage : public PieceStage {
 public:
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override;
  [[nodiscard]] bool encode(JobEncoder& job) const override;
  void encode_result(JobEncoder& result) const override;
  void merge_result(JobDecoder& result) override;

  /// That of its beginning; "" if it is of none that is known.
  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// Whether it is text at sixteen places of each piece.
  [[nodiscard]] bool is_text() const { return begins_as_text() && !any_noise_; }
  [[nodiscard]] bool begins_as_text() const { return kind_ == "text"; }

  /// As begins_as_ascii and text_ends_as_padding.
  [[nodiscard]] bool begins_ascii() const { return begins_ascii_; }
  [[nodiscard]] bool ends_as_padding() const { return ends_as_padding_; }

 private:
  std::string kind_;  // set by whoever has the first piece
  bool begins_ascii_ = false;
  bool ends_as_padding_ = false;  // and by whoever has the last
  std::atomic<bool> any_noise_{false};
};

}  // namespace phalanx
