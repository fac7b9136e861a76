#include "files/foreign/aead/aead_files.hpp"

#include "engine/host/host.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/pipeline/growing_pieces.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/output/spool.hpp"

namespace phalanx {
namespace {

std::size_t piece_bytes_of(const AeadInParts& message) { return piece_bytes_for(CryptJob(), is_gpu(message.engine())); }

std::uint64_t run_stage(PieceReader& reader, PipelineStage& stage, PieceSink& sink, const AeadInParts& message,
                        const RunOptions& options, Progress& progress) {
  PipelineStage* const stages[] = {&stage};
  return run_pieces(reader, stages, sink, progress, piece_threads(options, message.engine()));
}

std::vector<std::uint8_t> draw_nonce(const AeadLayout& layout) {
  std::vector<std::uint8_t> nonce(layout.nonce_bytes);
  fill_random(nonce);
  return nonce;
}

std::optional<std::uint64_t> with_tag(std::optional<std::uint64_t> num_bytes) {
  if (num_bytes) *num_bytes += aead_tag_bytes;
  return num_bytes;
}

}  // namespace

std::uint64_t seal_aead_file(const AeadPlan& plan, Bytes key, InputWatch& watch, Output& output, const AeadNews& news,
                             Progress& progress) {
  const bool is_drawn = plan.layout.begins_with_nonce();
  const std::vector<std::uint8_t> nonce = is_drawn ? draw_nonce(plan.layout) : plan.layout.nonce;
  const AeadInParts message(plan.name, key, nonce, plan.associated_data, plan.options);
  if (news.on_begun) news.on_begun(message);
  const std::optional<std::uint64_t> num_bytes = watch.input().remaining_bytes();
  check_aead_length(plan.name, num_bytes.value_or(0));
  output.open();
  AeadSealing sealing(message);
  const std::unique_ptr<PieceReader> reader = pieces_of(watch, piece_bytes_of(message), 0);
  const std::unique_ptr<PieceSink> sink = sink_to(output, is_drawn ? Bytes(nonce) : Bytes(), with_tag(num_bytes));
  const std::uint64_t message_bytes = run_stage(*reader, sealing, *sink, message, plan.options, progress);
  std::uint8_t tag[aead_tag_bytes];
  sealing.write_tag(tag);
  output.write(tag);
  const std::string what = watch.judge();
  if (!what.empty() && news.on_input_change) news.on_input_change(what);
  output.commit();
  return message_bytes;
}

AeadFile::AeadFile(const AeadPlan& plan, Bytes key, Input& input) : plan_(plan), given_(input) {
  const bool can_seek = input.remaining_bytes().value_or(0) != 0;  // files of /proc say that they are empty
  if (!can_seek) spooled_.emplace(spool(input));
  parts_ = find_aead_parts(plan.layout, spooled_ ? *spooled_ : given_);
  if (parts_.num_bytes > ComposedGcm::most_text_bytes) {
    throw Error(ErrorCode::format, input.name() + " is longer than any message of " + plan.name);
  }
  message_.emplace(plan.name, key, parts_.nonce, plan.associated_data, plan.options);
  readings_.emplace(parts_.num_bytes, piece_bytes_of(*message_));
}

FilePieces AeadFile::pieces() const {
  const Input& input = spooled_ ? *spooled_ : given_;
  return {{input.descriptor(), input.name(), parts_.position, parts_.num_bytes}, readings_->piece_bytes(), 0};
}

void AeadFile::verify(Progress& progress) {
  FilePieces ciphertext = pieces();
  readings_->hash(*message_, ciphertext, plan_.options, progress);
  if (readings_->is_tag(*message_, parts_.tag)) return;
  throw Error(ErrorCode::authentication, "the tag of " + given_.name() +
                                             " does not verify: wrong key, nonce or associated data, changed data, or nonce "
                                             "and tag stand elsewhere" +
                                             plan_.doubted_settings);
}

void AeadFile::decrypt(Output& output, Progress& progress) {
  AeadOpening opening(*message_, readings_->hashes(), given_.name());
  const std::unique_ptr<PieceSink> sink = sink_to(output, {}, parts_.num_bytes);
  FilePieces ciphertext = pieces();
  run_stage(ciphertext, opening, *sink, *message_, plan_.options, progress);
  if (!spooled_) given_.seek(parts_.position + parts_.num_bytes + plan_.layout.back_bytes());
  output.commit();
}

}  // namespace phalanx
