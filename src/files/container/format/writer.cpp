// This writes containers as a stream. Whole chunks are sealed as they fill, many at once.
#include <phalanx/files/container.hpp>

#include "engine/chunked/chunk_stream.hpp"
#include "engine/library/argument_checks.hpp"
#include "files/container/format/header.hpp"

namespace phalanx {
namespace {

constexpr const char* finished_writer = "this container is finished, or failed: make another writer";

}  // namespace

struct ContainerWriter::State {
  SealedStream body;
};

ContainerWriter::ContainerWriter(Append append, std::string_view suite_name, std::span<const Recipient> recipients,
                                 const EngineOptions& options, const Binding& binding) {
  if (!append) fail_usage("a container's writer needs a function that takes its bytes");
  const Suite& suite = find_suite(suite_name);
  const NewHeader made = make_new_header(suite, recipients, binding);
  ChunkedCipher cipher = begin_body(made.header, made.data_key, binding.context, options);
  append(made.header.bytes);
  state_ = std::make_unique<State>(
      State{SealedStream(std::move(append), std::move(cipher), chunks_of_stream_piece, finished_writer)});
}
ContainerWriter::~ContainerWriter() = default;
ContainerWriter::ContainerWriter(ContainerWriter&&) noexcept = default;
ContainerWriter& ContainerWriter::operator=(ContainerWriter&&) noexcept = default;

namespace {

constexpr const char* moved_writer = "this container's writer was moved from: use the one that it was moved to";

}  // namespace

void ContainerWriter::write(Bytes plain) { state_of(state_, moved_writer).body.write(plain); }
void ContainerWriter::write_from_device(const void* plain, std::size_t num_bytes, void* stream) {
  state_of(state_, moved_writer).body.write_from_device(plain, num_bytes, stream);
}
void ContainerWriter::finish() { state_of(state_, moved_writer).body.finish(); }

}  // namespace phalanx
