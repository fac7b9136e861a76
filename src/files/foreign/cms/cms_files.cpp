#include "files/foreign/cms/cms_files.hpp"

#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

std::uint64_t decrypt_cms(CmsMessage& message, Output& output, const RunOptions& options, Progress& progress) {
  const std::unique_ptr<PieceReader> reader = message.reader();
  const std::unique_ptr<PieceSink> sink = sink_to(output, {}, message.content_bytes());
  PipelineStage* const stages[] = {&message.decryption()};
  return run_pieces(*reader, stages, *sink, progress, piece_threads(options, message.engine()));
}

}  // namespace phalanx
