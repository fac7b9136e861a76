#include "migration/plaintext_kind_stage.hpp"

#include <algorithm>

namespace phalanx {

void PlaintextKindStage::process(Piece& piece) {
  const Bytes content = piece.content();
  const bool first = piece.offset == 0;
  if (first) {
    const bool whole = piece.last && piece.size <= recognised_from_bytes;
    const char* const kind = recognise_plaintext(content.first(std::min(piece.size, recognised_from_bytes)), whole);
    if (kind != nullptr) kind_ = kind;
    begins_ascii_ = begins_as_ascii(content);
  }
  if (piece.last) ends_as_padding_ = text_ends_as_padding(content);
  if (any_noise_) return;
  if (!is_text_at_sixteen_places(content, {.first = first, .last = piece.last})) any_noise_ = true;
}

bool PlaintextKindStage::encode(JobEncoder& job) const {
  job.put(JobPart::plaintext_kind);
  return true;
}

void PlaintextKindStage::encode_result(JobEncoder& result) const {
  result.put(kind_);
  for (const bool found : {begins_ascii_, ends_as_padding_, any_noise_.load()}) result.put(std::uint64_t{found ? 1U : 0U});
}

void PlaintextKindStage::merge_result(JobDecoder& result) {
  const std::string found = result.text();
  if (!found.empty()) kind_ = found;
  begins_ascii_ = result.number() != 0 || begins_ascii_;
  ends_as_padding_ = result.number() != 0 || ends_as_padding_;
  any_noise_ = result.number() != 0 || any_noise_;
}

}  // namespace phalanx
