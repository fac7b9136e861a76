#include "container/file/read_back.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "container/file/stages.hpp"
#include "container/file/stream_reader.hpp"
#include "files/file_descriptor.hpp"
#include "pipeline/piece_sinks.hpp"

namespace phalanx {
namespace {

// The chunks of a file that ends at num_bytes, from where it stands on.
std::string mac_of_chunks(Input& file, std::uint64_t num_bytes, const ChunkedCipher& cipher, const ContainerJob& job,
                          const PlaintextMacKey& key, Progress& progress) {
  const std::uint64_t position = file.position();
  FilePieces reader({file.descriptor(), file.name(), position, num_bytes - std::min(num_bytes, position)},
                    sealed_piece_bytes, 0);
  PlaintextMacStage plaintext(key);
  PieceStage* const stages[] = {&plaintext};
  NullPieces nowhere;
  open_chunks(reader, cipher, stages, nowhere, job.options, progress);
  return plaintext.mac().finish();
}

}  // namespace

std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes, const PlaintextMacKey& key,
                          Progress& progress) {
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  const ChunkedCipher cipher = job.bare ? read_prefix(file, *job.suite, job.bare_key, job.bare_context, job.options)
                                        : read_beginning(file, identities_of(job.recipients), {}, job.options);
  return mac_of_chunks(file, num_bytes, cipher, job, key, progress);
}

void verify_input(const InputWatch& watch, const ContainerJob& job, const WrittenContainer& read) {
  const Input& input = watch.input();
  FilePieces reader({input.descriptor(), input.name(), watch.position(), read.num_bytes}, plain_piece_bytes, 0);
  PlaintextMacStage plaintext(read.key);
  PieceStage* const stages[] = {&plaintext};
  NullPieces nowhere;
  Progress seen_already;
  run_pieces(reader, stages, nowhere, seen_already, piece_threads(job.options, "cpu"));
  if (plaintext.mac().finish() == read.mac) return;
  throw Error(ErrorCode::runtime,
              input.name() +
                  " grew while it was read, and what was read before is another now: do it again when nobody writes "
                  "to it");
}

void verify_partial(const ContainerJob& job, const AtomicFile& file, const WrittenContainer& written, Progress& progress) {
  if (!sync_whole(file.descriptor())) throw_system_error("write", file.partial_path());
  std::string found;
  try {
    Input container(duplicate(file.descriptor(), file.partial_path()), file.partial_path());
    container.seek(0);
    found = read_back_mac(job, container, written.num_bytes, written.key, progress);
  } catch (const Error& error) {
    throw Error(error, std::string("OUT does not read back as it was written: ") + error.what());
  }
  if (found == written.mac) return;
  throw Error(ErrorCode::authentication, "OUT does not read back as it was written: its plaintext is another");
}

}  // namespace phalanx
