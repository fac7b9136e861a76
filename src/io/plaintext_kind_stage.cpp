#include "io/plaintext_kind_stage.hpp"

#include <algorithm>

namespace phalanx {

void PlaintextKindStage::process(Piece& piece) {
  if (piece.last) ends_as_ = kinds_that_end_so(piece.content().last(std::min(piece.size, recognised_from_bytes)));
  if (piece.offset != 0) return;
  const bool whole = piece.last && piece.size <= recognised_from_bytes;
  const char* const kind = recognise_plaintext(piece.buffer.first(std::min(piece.size, recognised_from_bytes)), whole);
  if (kind != nullptr) kind_ = kind;
}

bool PlaintextKindStage::describe(JobWriter& job) const {
  job.put(JobPart::plaintext_kind);
  return true;
}

void PlaintextKindStage::report(JobWriter& report) const {
  report.put(kind_);
  report.put(ends_as_);
}

void PlaintextKindStage::merge(JobReader& report) {
  const std::string found = report.text();
  if (!found.empty()) kind_ = found;
  ends_as_ |= report.number();
}

}  // namespace phalanx
