#include "files/container/file/file_sealing.hpp"

#include <memory>
#include <optional>

#include "files/container/file/read_back.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/growing_pieces.hpp"
#include "files/pipeline/plaintext_mac.hpp"

namespace phalanx {
namespace {

// A run that goes on seals only the input that an earlier run settled. Where pieces of that are sealed already, the end does
// not move.
void settle_end(const ContainerFileWriter& writer, InputWatch& watch, const FileSealing& sealing) {
  if (!writer.goes_on()) return;
  watch.settle();
  const std::optional<std::uint64_t> settled = writer.settled_bytes();
  if (!settled || watch.num_bytes() <= *settled) return;
  if (sealing.on_left_out) sealing.on_left_out(watch.num_bytes() - *settled);
  watch.settle_at(*settled);
}

void tell_what_changed(InputWatch& watch, const FileSealing& sealing) {
  const std::string what = watch.judge();
  if (!what.empty() && sealing.on_input_change) sealing.on_input_change(what);
}

// To verify, the input is digested on its way, and the file is read back from the disk and compared. Returns the bytes of
// plaintext.
std::uint64_t write_container(ContainerFileWriter& writer, const FileSealing& sealing, InputWatch& watch,
                              Progress& progress) {
  const std::unique_ptr<PieceReader> reader = pieces_of(watch, plain_piece_bytes, 0);
  settle_end(writer, watch, sealing);
  const auto num_bytes = watch.is_seekable() ? std::optional(watch.num_bytes()) : std::nullopt;
  if (!sealing.verify) {
    const std::uint64_t plain_bytes = writer.write(*reader, {}, progress, num_bytes);
    tell_what_changed(watch, sealing);
    return plain_bytes;
  }
  const PlaintextMacKey key;
  PlaintextMacStage plaintext(key);
  PipelineStage* const stages[] = {&plaintext};
  writer.write(*reader, stages, progress, num_bytes);
  tell_what_changed(watch, sealing);
  const std::string mac = plaintext.mac().finish();
  const std::uint64_t plain_bytes = plaintext.mac().num_bytes();
  writer.read_back(key, mac, progress);
  if (watch.grew() && !watch.changes().allowed) verify_input(watch, {plain_bytes, key, mac}, writer.run_options());
  return plain_bytes;
}

}  // namespace

SealedInput seal_input(const ContainerJob& job, const FileSealing& sealing, InputWatch& watch, Output& output,
                       Progress& progress) {
  output.open();
  if (sealing.verify && output.file() == nullptr) {
    throw Error(ErrorCode::usage,
                output.name() + " cannot be read back: name a file as OUT, or " + sealing.without_verifying);
  }
  ContainerFileWriter writer(job, output);
  if (sealing.on_begun) sealing.on_begun(writer);
  SealedInput sealed;
  sealed.resumed_bytes = writer.resumed_bytes();
  sealed.plain_bytes = write_container(writer, sealing, watch, progress);
  if (sealing.on_written) sealing.on_written(writer);
  writer.commit();
  if (output.file() != nullptr) sealed.container_bytes = writer.written_bytes();
  return sealed;
}

}  // namespace phalanx
