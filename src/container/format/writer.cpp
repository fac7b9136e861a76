// Containers as a stream: whole chunks are sealed as they fill, many at once.
#include <algorithm>
#include <phalanx/container.hpp>
#include <vector>

#include "container/format/chunked_encryption.hpp"
#include "container/format/header.hpp"
#include "library/argument_checks.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// What is sealed at once: enough for many threads.
constexpr std::size_t piece_plain_bytes = 256 * plain_chunk_bytes;

}  // namespace

struct ContainerWriter::State {
  Append append;
  ChunkedCipher cipher;
  SecretBytes plain{piece_plain_bytes};
  std::size_t num_kept = 0;  // bytes of `plain`
  std::vector<std::uint8_t> sealed;
  std::uint64_t next_chunk = 0;
  bool is_done = false;  // finished, or failed

  State(Append append_bytes, const Suite& suite, const NewHeader& made, const Options& options)
      : append(std::move(append_bytes)), cipher(suite, made.data_key, random_chunk_salt(), body_context(suite), options) {
    append(made.header.bytes);
    append(cipher.prefix());
  }

  void write(Bytes bytes);
  void finish();

 private:
  void seal(Bytes chunks, std::size_t num_chunks);
};

void ContainerWriter::State::seal(Bytes chunks, std::size_t num_chunks) {
  sealed.resize(chunks.size() + num_chunks * chunk_tag_bytes);
  cipher.seal(next_chunk, chunks, sealed);
  next_chunk += num_chunks;
  append(sealed);
}

// Whole pieces of the caller's memory are sealed from there.
void ContainerWriter::State::write(Bytes bytes) {
  while (!bytes.empty()) {
    if (num_kept == 0 && bytes.size() >= piece_plain_bytes) {
      seal(bytes.first(piece_plain_bytes), piece_plain_bytes / plain_chunk_bytes);
      bytes = bytes.subspan(piece_plain_bytes);
      continue;
    }
    const std::size_t taken = std::min(bytes.size(), piece_plain_bytes - num_kept);
    std::copy_n(bytes.begin(), taken, plain.begin() + num_kept);
    num_kept += taken;
    bytes = bytes.subspan(taken);
    if (num_kept != piece_plain_bytes) continue;
    seal(plain, piece_plain_bytes / plain_chunk_bytes);
    num_kept = 0;
  }
}

void ContainerWriter::State::finish() { seal(Bytes(plain).first(num_kept), num_chunks_of_plain(num_kept)); }

ContainerWriter::ContainerWriter(Append append, std::string_view suite_name, std::span<const Recipient> recipients,
                                 const Options& options) {
  if (!append) fail_usage("a container's writer needs a function that takes its bytes");
  const Suite& suite = find_suite(suite_name);
  state_ = std::make_unique<State>(std::move(append), suite, make_new_header(suite, recipients), options);
}
ContainerWriter::~ContainerWriter() = default;
ContainerWriter::ContainerWriter(ContainerWriter&&) noexcept = default;
ContainerWriter& ContainerWriter::operator=(ContainerWriter&&) noexcept = default;

namespace {

constexpr const char* moved_writer = "this container's writer was moved from: use the one that it was moved to";

}  // namespace

void ContainerWriter::write(Bytes plain) {
  State& state = state_of(state_, moved_writer);
  if (state.is_done) fail_usage("this container is finished, or failed: make another writer");
  state.is_done = true;  // unless nothing throws
  state.write(plain);
  state.is_done = false;
}

void ContainerWriter::finish() {
  State& state = state_of(state_, moved_writer);
  if (state.is_done) fail_usage("this container is finished, or failed: make another writer");
  state.is_done = true;
  state.finish();
}

}  // namespace phalanx
