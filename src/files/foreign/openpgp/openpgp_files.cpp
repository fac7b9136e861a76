#include "files/foreign/openpgp/openpgp_files.hpp"

#include <vector>

#include "files/foreign/openpgp/openpgp_content.hpp"
#include "files/pipeline/piece_sinks.hpp"

namespace phalanx {
bool is_read_twice(const OpenPgpMessage& message, const Output& output) {
  const bool is_seen_at_once = output.file() == nullptr && !output.is_held_back() && !output.is_null();
  return is_seen_at_once && message.tail_bytes() != 0;
}

DecryptedOpenPgp decrypt_openpgp(OpenPgpMessage& message, Output& output, Progress& progress) {
  if (is_read_twice(message, output)) message.verify(progress);
  const std::unique_ptr<PieceReader> reader = message.reader();
  ContentOfMessage content(message, output);
  StreamSink sink(content);
  std::vector<PipelineStage*> stages = {&message.decryption()};
  if (message.detection() != nullptr) stages.push_back(message.detection());
  run_pieces(*reader, stages, sink, progress, message.threads());
  message.finish();
  content.require_content();
  return {.is_signed = content.is_signed()};
}

}  // namespace phalanx
