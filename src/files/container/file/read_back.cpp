#include "files/container/file/read_back.hpp"

#include <algorithm>
#include <vector>

#include "files/container/file/stages.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

// Nobody else changes this file, so there is no rewrite beside it to look for. The digest is of the very header that opened.
ChunkedCipher read_own_beginning(const ContainerJob& job, Input& file, Bytes data_key,
                                 std::optional<Sha256Digest>& header_digest) {
  const ContainerHeader header = read_header(file);
  SecretBytes opened;
  if (can_open(job)) {
    opened = open_header(header, openers_of(job), {}, job.binding, job.binding_names).data_key;
    data_key = opened;
  } else if (data_key.empty()) {
    throw Error(ErrorCode::usage,
                file.name() + " is not opened: what seals for public keys alone needs an identity for that");
  } else {
    require_mac(header, data_key);
    require_same_name(header.fixed_part(), header.binding, data_key, job.binding, job.binding_names);
  }
  header_digest = digest_header(header.bytes);
  return read_body_prefix(file, header, data_key, job.binding.context, job.options);
}

// Digests the sealed pieces of a body, and begins with the body's first bytes.
class BodyDigestStage : public PipelineStage {
 public:
  explicit BodyDigestStage(Bytes beginning) { digest_.update(beginning); }
  [[nodiscard]] bool in_order() const override { return true; }
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override { digest_.update(piece.content()); }
  [[nodiscard]] Sha256Digest finish() { return digest_.finish_bytes(); }

 private:
  Sha256 digest_;
};

ReadAt reader_of(int descriptor, const std::string& name) {
  return [descriptor, &name](std::uint64_t offset, MutableBytes out) {
    if (read_at(descriptor, out, offset, name) != out.size())
      throw Error(ErrorCode::runtime, name + " became shorter while it was read");
  };
}

FilePieces sealed_pieces(const Input& file, std::uint64_t position, std::uint64_t num_bytes) {
  return {{file.descriptor(), file.name(), position, num_bytes - std::min(num_bytes, position)}, sealed_piece_bytes, 0};
}

}  // namespace

BodyFacts shown_body_facts(int descriptor, const std::string& name) {
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, name).size);
  return shown_body_facts(reader_of(descriptor, name), num_bytes);
}

BodyFacts read_open_body(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes, bool with_digest,
                         std::span<PipelineStage* const> stages, const RunOptions& options, Progress& progress) {
  const std::uint64_t position = file.position();
  FilePieces reader = sealed_pieces(file, position, num_bytes);
  NullPieces nowhere;
  BodyDigestStage digest(cipher.prefix());
  OpenStage open(cipher, 0, true);
  std::vector<PipelineStage*> all{&open};
  if (with_digest) all.insert(all.begin(), &digest);
  all.insert(all.end(), stages.begin(), stages.end());
  PieceThreads threads = piece_threads(options, cipher.engine());
  if (with_digest) threads.executor = nullptr;
  run_pieces(reader, all, nowhere, progress, threads);
  BodyFacts facts =
      authentic_body_facts(cipher, reader_of(file.descriptor(), file.name()), position - message_prefix_bytes, num_bytes);
  if (with_digest) facts.sha256 = digest.finish();
  return facts;
}

Sha256Digest digest_body(int descriptor, const std::string& name, Progress& progress) {
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, name).size);
  const ReadAt read = reader_of(descriptor, name);
  std::vector<std::uint8_t> beginning(header_start_bytes);
  read(0, beginning);
  const auto counted = [&](std::uint64_t offset, MutableBytes out) {
    read(offset, out);
    progress.add(out.size());
  };
  return digest_body(counted, header_bytes(beginning), num_bytes);
}

std::string read_back_chunks(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes, const RunOptions& options,
                             const PlaintextMacKey& key, Progress& progress, FoundBody* found) {
  PlaintextMacStage plaintext(key);
  PipelineStage* const stages[] = {&plaintext};
  if (found != nullptr && found->with_facts) {
    found->facts = read_open_body(cipher, file, num_bytes, found->with_digest, stages, options, progress);
    return plaintext.mac().finish();
  }
  const std::uint64_t position = file.position();
  FilePieces reader = sealed_pieces(file, position, num_bytes);
  NullPieces nowhere;
  open_chunks(reader, cipher, stages, nowhere, options, progress);
  return plaintext.mac().finish();
}

std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes, const PlaintextMacKey& key,
                          Progress& progress, Bytes data_key, FoundBody* found) {
  std::optional<Sha256Digest> header;
  const ContentSource source = drop_cached_pages(file.descriptor());
  if (found != nullptr) found->source = source;
  const ChunkedCipher cipher = job.bare ? read_prefix(file, *job.suite, job.bare_key, job.bare_context, job.options)
                                        : read_own_beginning(job, file, data_key, header);
  std::string mac = read_back_chunks(cipher, file, num_bytes, job.options, key, progress, found);
  if (found != nullptr) found->facts.header = header;
  return mac;
}

std::string plaintext_mac_of(Input& input, const RunOptions& options, const PlaintextMacKey& key, Progress& progress) {
  const std::unique_ptr<PieceReader> reader = pieces_of(input, plain_piece_bytes, 0);
  PlaintextMacStage plaintext(key);
  PipelineStage* const stages[] = {&plaintext};
  NullPieces nowhere;
  run_pieces(*reader, stages, nowhere, progress, piece_threads(options, "cpu"));
  return plaintext.mac().finish();
}

void verify_input(const InputWatch& watch, const ReadInput& read, const RunOptions& options) {
  const Input& input = watch.input();
  FilePieces reader({input.descriptor(), input.name(), watch.position(), read.num_bytes}, plain_piece_bytes, 0);
  PlaintextMacStage plaintext(read.key);
  PipelineStage* const stages[] = {&plaintext};
  NullPieces nowhere;
  Progress seen_already;
  run_pieces(reader, stages, nowhere, seen_already, piece_threads(options, "cpu"));
  if (plaintext.mac().finish() == read.mac) return;
  throw Error(ErrorCode::runtime,
              input.name() +
                  " grew while it was read, and what was read before is another now: do it again when nobody writes "
                  "to it");
}

}  // namespace phalanx
