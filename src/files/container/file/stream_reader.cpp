#include "files/container/file/stream_reader.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "engine/text/counted.hpp"
#include "files/container/file/header_rewrite.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

// Passes on num_bytes bytes, after the first num_skipped.
class PartSink : public ByteSink {
 public:
  PartSink(ByteSink& sink, std::uint64_t num_skipped, std::uint64_t num_bytes)
      : sink_(sink), skip_bytes_(num_skipped), rest_bytes_(num_bytes) {}

  void write(Bytes in) override {
    in = in.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), skip_bytes_)));
    skip_bytes_ = 0;  // skip_bytes_ is less than a chunk, and the first piece has that
    in = in.first(static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), rest_bytes_)));
    sink_.write(in);
    rest_bytes_ -= in.size();
  }
  void finish() override { sink_.finish(); }

 private:
  ByteSink& sink_;
  std::uint64_t skip_bytes_;
  std::uint64_t rest_bytes_;
};

std::uint64_t bytes_to_the_end(const Input& input) {
  if (const auto rest = input.remaining_bytes()) return *rest;
  throw Error(ErrorCode::usage, "a part needs an IN that can seek, and " + input.name() + " cannot: name a file as IN");
}

}  // namespace

ContainerHeader read_header(ByteSource& source) {
  std::vector<std::uint8_t> bytes(header_start_bytes);
  bytes.resize(source.read(bytes));
  const std::size_t start_bytes = bytes.size();
  bytes.resize(header_bytes(bytes));
  const std::size_t got = source.read(MutableBytes(bytes).subspan(start_bytes));
  bytes.resize(start_bytes + got);
  return parse_header(bytes);
}

bool is_header_alone(Bytes beginning, std::uint64_t file_bytes) {
  try {
    return file_bytes <= header_bytes(beginning) + message_prefix_bytes;
  } catch (const Error& error) {
    return error.code() == ErrorCode::truncated;
  }
}

namespace {

MessagePrefix read_whole_prefix(ByteSource& source) {
  MessagePrefix prefix{};
  const std::size_t size = source.read(prefix);
  if (size < prefix.size()) {
    throw Error(ErrorCode::truncated, "the data end after " + std::to_string(size) + " of the " +
                                          std::to_string(prefix.size()) +
                                          " bytes of salt and commitment: they are cut short");
  }
  return prefix;
}

}  // namespace

ChunkedCipher read_prefix(ByteSource& source, const Suite& suite, Bytes input_key, Bytes context,
                          const EngineOptions& options) {
  return {suite, input_key, read_whole_prefix(source), context, options};
}

ChunkedCipher read_body_prefix(ByteSource& source, const ContainerHeader& header, Bytes data_key, Bytes context,
                               const EngineOptions& options) {
  return open_body(header, data_key, read_whole_prefix(source), context, options);
}

namespace {

ChunkedCipher read_opened(Input& input, const Binding& binding, const EngineOptions& options,
                          const std::function<SecretBytes(const ContainerHeader& header)>& open) {
  const UnlockedContainer container = unlock_input(input, {.read = read_header, .open = open, .context = binding.context});
  return read_body_prefix(input, container.header, container.data_key, binding.context, options);
}

std::vector<Identity> fitting(std::span<const Identity> identities, const Suite& suite) {
  std::vector<Identity> result;
  std::ranges::copy_if(identities, std::back_inserter(result), [&](const Identity& identity) {
    return identity.kind != KeyKind::key || identity.secret.size() == suite.key_bytes;
  });
  if (result.empty())
    throw Error(ErrorCode::wrong_key, "none of the keys has the length of one for " + std::string(suite.name));
  return result;
}

}  // namespace

ChunkedCipher read_beginning(Input& input, std::span<const Identity> identities, const CostLimits& limits,
                             const Binding& binding, const EngineOptions& options) {
  return read_opened(input, binding, options, [&](const ContainerHeader& header) {
    return open_header(header, identities, limits, binding).data_key;
  });
}

ChunkedCipher read_one_of_many(Input& input, std::span<const Identity> identities, const CostLimits& limits,
                               const Binding& binding, const EngineOptions& options) {
  return read_opened(input, binding, options, [&](const ContainerHeader& header) {
    require_fitting(header.binding, binding);
    return open_header(header, fitting(identities, *header.suite), limits, binding).data_key;
  });
}

std::uint64_t open_chunks(PieceReader& reader, const ChunkedCipher& cipher, std::span<PipelineStage* const> stages,
                          PieceSink& sink, const RunOptions& options, Progress& progress) {
  OpenStage open(cipher, 0, true);
  std::vector<PipelineStage*> all{&open};
  all.insert(all.end(), stages.begin(), stages.end());
  return run_pieces(reader, all, sink, progress, piece_threads(options, cipher.engine()));
}

SeekableMessage::SeekableMessage(const Input& input, const ChunkedCipher& cipher)
    : input_(input),
      cipher_(cipher),
      sealed_bytes_(bytes_to_the_end(input)),
      plain_bytes_(plain_bytes_of_chunks(sealed_bytes_)) {
  position_ = input.position();
}

std::uint64_t SeekableMessage::bytes_of(const Slice& slice) const {
  const bool fits = slice.offset <= plain_bytes_ && slice.num_bytes.value_or(0) <= plain_bytes_ - slice.offset;
  if (fits) return slice.num_bytes.value_or(plain_bytes_ - slice.offset);
  authenticate_length();  // of a container that was cut, no length is said
  throw Error(ErrorCode::usage,
              "the plaintext of " + input_.name() + " has " + count_bytes(plain_bytes_) + ", and the range ends behind it");
}

void SeekableMessage::authenticate_length() const {
  const std::uint64_t last_chunk = plain_bytes_ / plain_chunk_bytes;
  SecretBytes sealed(static_cast<std::size_t>(sealed_bytes_ - last_chunk * sealed_chunk_bytes));
  sealed.shrink(read_at(input_.descriptor(), sealed, position_ + last_chunk * sealed_chunk_bytes, input_.name()));
  SecretBytes plain(sealed.size() - chunk_tag_bytes);
  cipher_.open(last_chunk, sealed, plain);
}

void SeekableMessage::open_slice(const Slice& slice, ByteSink& sink, const RunOptions& options, Progress& progress) const {
  const std::uint64_t num_bytes = bytes_of(slice);
  authenticate_length();
  if (num_bytes == 0) return sink.finish();
  const std::uint64_t first_chunk = slice.offset / plain_chunk_bytes;
  const std::uint64_t end_chunk = (slice.offset + num_bytes - 1) / plain_chunk_bytes + 1;
  const std::uint64_t begin = first_chunk * sealed_chunk_bytes;
  const std::uint64_t end = std::min(end_chunk * sealed_chunk_bytes, sealed_bytes_);
  FilePieces reader({input_.descriptor(), input_.name(), position_ + begin, end - begin}, sealed_piece_bytes, 0);
  OpenStage open(cipher_, first_chunk, false);
  PipelineStage* const stages[] = {&open};
  PartSink part(sink, slice.offset % plain_chunk_bytes, num_bytes);
  StreamSink pieces(part);
  run_pieces(reader, stages, pieces, progress, piece_threads(options, cipher_.engine()));
}

}  // namespace phalanx
