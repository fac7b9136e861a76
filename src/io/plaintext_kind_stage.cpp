#include "io/plaintext_kind_stage.hpp"

#include <algorithm>

#include "formats/plaintext_kind.hpp"

namespace phalanx {

void PlaintextKindStage::process(Piece& piece) {
  if (piece.offset != 0) return;
  const bool whole = piece.last && piece.size <= recognised_from_bytes;
  const char* const kind = recognise_plaintext(piece.buffer.first(std::min(piece.size, recognised_from_bytes)), whole);
  if (kind != nullptr) kind_ = kind;
}

bool PlaintextKindStage::describe(JobWriter& job) const {
  job.put(JobPart::plaintext_kind);
  return true;
}

void PlaintextKindStage::merge(JobReader& report) {
  const std::string found = report.text();
  if (!found.empty()) kind_ = found;
}

}  // namespace phalanx
