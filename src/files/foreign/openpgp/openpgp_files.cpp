#include "files/foreign/openpgp/openpgp_files.hpp"

#include <vector>

#include "files/foreign/openpgp/openpgp_content.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {
namespace {

class ContentSink : public PieceSink {
 public:
  explicit ContentSink(ContentOfMessage& content) : content_(content) {}
  [[nodiscard]] bool in_order() const override { return true; }
  void write(const Piece& piece) override { content_.write(piece.content()); }
  void finish() override { content_.finish(); }

 private:
  ContentOfMessage& content_;
};

}  // namespace

bool is_read_twice(const OpenPgpMessage& message, const Output& output) {
  const bool is_seen_at_once = output.file() == nullptr && !output.is_held_back() && !output.is_null();
  return is_seen_at_once && message.tail_bytes() != 0;
}

DecryptedOpenPgp decrypt_openpgp(OpenPgpMessage& message, Output& output, const RunOptions& options, Progress& progress) {
  if (is_read_twice(message, output)) message.verify(options, progress);
  const std::unique_ptr<PieceReader> reader = message.reader();
  ContentOfMessage content(message, output);
  ContentSink sink(content);
  std::vector<PipelineStage*> stages = {&message.decryption()};
  if (message.detection() != nullptr) stages.push_back(message.detection());
  PieceThreads threads = piece_threads(options, message.engine());
  threads.executor = nullptr;  // a content is one stream
  run_pieces(*reader, stages, sink, progress, threads);
  message.finish();
  content.require_content();
  return {.is_signed = content.is_signed()};
}

}  // namespace phalanx
