// Recognising a plaintext by its beginning, and text wherever it is looked at, while it goes by.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "files/pipeline/scheduler.hpp"
#include "files/recognition/plaintext_kind.hpp"

namespace phalanx {

inline constexpr std::array<std::size_t, 2> usual_block_bytes{8, 16};

/// Pieces may come in any order, on any thread, and to several stages, one of which hears what the others have seen.
class PlaintextKindStage : public PipelineStage {
 public:
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override;

  /// One stage has found this in its pieces.
  struct Seen {
    std::string kind{};                          ///< of the first piece, by whoever has that
    std::array<bool, 2> begins_beyond_chance{};  ///< by whoever has the first, for each of usual_block_bytes
    bool ends_as_padding = false;                ///< by whoever has the last
    bool any_noise = false;
  };
  [[nodiscard]] Seen seen() const;
  /// Adds the findings of another stage in other pieces.
  void merge(const Seen& other);

  /// Returns the kind that the beginning shows; "" if it shows no known kind.
  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// Returns whether the plaintext is text at sixteen places of each piece.
  [[nodiscard]] bool is_text() const { return begins_as_text() && !any_noise_; }
  [[nodiscard]] bool begins_as_text() const { return kind_ == "text"; }

  /// As begins_beyond_chance and text_ends_as_padding.
  [[nodiscard]] bool begins_beyond_chance(std::size_t block_bytes) const;
  [[nodiscard]] bool ends_as_padding() const { return ends_as_padding_; }

 private:
  std::string kind_;  // set by whoever has the first piece
  std::array<bool, 2> begins_beyond_chance_{};
  bool ends_as_padding_ = false;  // and by whoever has the last
  std::atomic<bool> any_noise_{false};
};

}  // namespace phalanx
