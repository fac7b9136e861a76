#include "files/migration/plaintext_kind_stage.hpp"

#include <algorithm>

namespace phalanx {

void PlaintextKindStage::process(Piece& piece) {
  const Bytes content = piece.content();
  const bool first = piece.offset == 0;
  if (first) {
    const bool whole = piece.last && piece.size <= recognised_from_bytes;
    const char* const kind = recognise_plaintext(content.first(std::min(piece.size, recognised_from_bytes)), whole);
    if (kind != nullptr) kind_ = kind;
    for (std::size_t i = 0; i < usual_block_bytes.size(); ++i) {
      begins_beyond_chance_[i] = phalanx::begins_beyond_chance(content, usual_block_bytes[i], piece.last);
    }
  }
  if (piece.last) ends_as_padding_ = text_ends_as_padding(content);
  if (any_noise_) return;
  if (!is_text_at_sixteen_places(content, {.first = first, .last = piece.last})) any_noise_ = true;
}

PlaintextKindStage::Seen PlaintextKindStage::seen() const {
  return {.kind = kind_,
          .begins_beyond_chance = begins_beyond_chance_,
          .ends_as_padding = ends_as_padding_,
          .any_noise = any_noise_};
}

bool PlaintextKindStage::begins_beyond_chance(std::size_t block_bytes) const {
  for (std::size_t i = 0; i < usual_block_bytes.size(); ++i) {
    if (usual_block_bytes[i] == block_bytes) return begins_beyond_chance_[i];
  }
  return false;
}

void PlaintextKindStage::merge(const Seen& other) {
  if (!other.kind.empty()) kind_ = other.kind;
  for (std::size_t i = 0; i < usual_block_bytes.size(); ++i) {
    begins_beyond_chance_[i] = begins_beyond_chance_[i] || other.begins_beyond_chance[i];
  }
  ends_as_padding_ = ends_as_padding_ || other.ends_as_padding;
  if (other.any_noise) any_noise_ = true;
}

}  // namespace phalanx
