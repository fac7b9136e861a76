// The public interface of containers: in memory, and any part of one.

#include <algorithm>
#include <cstring>
#include <optional>
#include <phalanx/container.hpp>

#include "container/format/chunked_encryption.hpp"
#include "container/format/header.hpp"
#include "library/argument_checks.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// What a reader reads and opens at once: enough for many threads.
constexpr std::size_t chunks_at_once = 512;

void append(MutableBytes& out, Bytes bytes) {
  std::copy(bytes.begin(), bytes.end(), out.begin());
  out = out.subspan(bytes.size());
}

}  // namespace

std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients, std::uint64_t plain_bytes) {
  return new_header_bytes(find_suite(suite), recipients) + message_prefix_bytes + chunks_bytes(plain_bytes);
}

void seal_container(std::string_view suite_name, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const Options& options) {
  const Suite& suite = find_suite(suite_name);
  const std::uint64_t size = container_bytes(suite_name, recipients, in.size());
  if (out.size() != size) {
    fail_usage("the container takes " + std::to_string(size) + " bytes, and room for " + std::to_string(out.size()) +
               " was given: container_bytes says how many");
  }
  check_disjoint(in, out);
  const NewHeader made = make_new_header(suite, recipients);
  const ChunkedCipher cipher(suite, made.data_key, random_chunk_salt(), body_context(suite), options);
  append(out, made.header.bytes);
  append(out, cipher.prefix());
  cipher.seal(0, in, out);
}

struct ContainerReader::State {
  Bytes memory;    // the container, if it is in memory
  ReadAt read_at;  // otherwise what reads it
  std::uint64_t container_size;
  std::string suite{};
  std::optional<ChunkedCipher> cipher{};
  std::uint64_t chunks_offset = 0;
  std::uint64_t plain_size = 0;

  void open(std::span<const Identity> identities, const Options& options, const CostLimits& limits);
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  // Bytes of the container, in `buffer` unless they are in memory.
  Bytes fetch(std::uint64_t offset, std::size_t size, std::vector<std::uint8_t>& buffer) const;
  Bytes fetch_first(std::size_t size, std::vector<std::uint8_t>& buffer) const {
    return fetch(0, std::min<std::uint64_t>(size, container_size), buffer);
  }
  // The plaintext of whole chunks from first_chunk on.
  void open_chunks(std::uint64_t first_chunk, std::size_t num_chunks, MutableBytes plain,
                   std::vector<std::uint8_t>& buffer) const;
};

Bytes ContainerReader::State::fetch(std::uint64_t offset, std::size_t size, std::vector<std::uint8_t>& buffer) const {
  if (!read_at) return memory.subspan(offset, size);
  buffer.resize(size);
  if (size != 0) read_at(offset, buffer);
  return buffer;
}

void ContainerReader::State::open(std::span<const Identity> identities, const Options& options, const CostLimits& limits) {
  std::vector<std::uint8_t> buffer;
  const std::size_t header_size = header_bytes(fetch_first(header_start_bytes, buffer));
  const ContainerHeader header = parse_header(fetch_first(header_size, buffer));
  const OpenedHeader opened = open_header(header, identities, limits);
  suite = header.suite->name;
  chunks_offset = header_size + message_prefix_bytes;
  if (container_size < chunks_offset) {
    throw Error(ErrorCode::truncated, "the container ends before its first chunk: it is cut short");
  }
  MessagePrefix prefix;
  const Bytes found = fetch(header_size, prefix.size(), buffer);
  std::copy(found.begin(), found.end(), prefix.begin());
  cipher.emplace(*header.suite, opened.data_key, prefix, body_context(*header.suite), options);
  plain_size = plain_bytes_of_chunks(container_size - chunks_offset);
  SecretBytes last(plain_size % plain_chunk_bytes);  // opening it authenticates the length
  open_chunks(plain_size / plain_chunk_bytes, 1, last, buffer);
}

void ContainerReader::State::open_chunks(std::uint64_t first_chunk, std::size_t num_chunks, MutableBytes plain,
                                         std::vector<std::uint8_t>& buffer) const {
  const std::size_t size = plain.size() + num_chunks * chunk_tag_bytes;
  cipher->open(first_chunk, fetch(chunks_offset + first_chunk * sealed_chunk_bytes, size, buffer), plain);
}

void ContainerReader::State::read(std::uint64_t offset, MutableBytes out) const {
  std::vector<std::uint8_t> buffer;
  SecretBytes chunks;  // those of which `out` takes only a part
  while (!out.empty()) {
    const std::uint64_t first_chunk = offset / plain_chunk_bytes;
    const std::uint64_t start = first_chunk * plain_chunk_bytes;
    const std::size_t skipped = offset - start;
    const std::size_t wanted = std::min(out.size(), chunks_at_once * plain_chunk_bytes - skipped);
    const std::size_t num_chunks = (skipped + wanted + plain_chunk_bytes - 1) / plain_chunk_bytes;
    const std::size_t size = std::min<std::uint64_t>(num_chunks * plain_chunk_bytes, plain_size - start);
    if (size == wanted) {
      open_chunks(first_chunk, num_chunks, out.first(wanted), buffer);
    } else {
      if (chunks.size() < size) chunks = SecretBytes(size);
      open_chunks(first_chunk, num_chunks, MutableBytes(chunks).first(size), buffer);
      std::memcpy(out.data(), chunks.data() + skipped, wanted);
    }
    offset += wanted;
    out = out.subspan(wanted);
  }
}

ContainerReader::ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Identity> identities,
                                 const Options& options, const CostLimits& limits) {
  auto state = std::make_unique<State>(State{{}, std::move(read_at), container_bytes});
  if (!state->read_at) fail_usage("a container's reader needs a function that reads");
  state->open(identities, options, limits);
  state_ = std::move(state);
}

ContainerReader::ContainerReader(Bytes container, std::span<const Identity> identities, const Options& options,
                                 const CostLimits& limits) {
  auto state = std::make_unique<State>(State{container, {}, container.size()});
  state->open(identities, options, limits);
  state_ = std::move(state);
}

ContainerReader::~ContainerReader() = default;
ContainerReader::ContainerReader(ContainerReader&&) noexcept = default;
ContainerReader& ContainerReader::operator=(ContainerReader&&) noexcept = default;

namespace {

constexpr const char* moved_reader = "this container's reader was moved from: use the one that it was moved to";

}  // namespace

std::uint64_t ContainerReader::size() const { return state_of(state_, moved_reader).plain_size; }
const std::string& ContainerReader::suite() const { return state_of(state_, moved_reader).suite; }

void ContainerReader::read(std::uint64_t offset, MutableBytes out) const {
  if (offset > size() || out.size() > size() - offset) {
    fail_usage("the container holds " + std::to_string(size()) + " bytes, and " + std::to_string(out.size()) + " at " +
               std::to_string(offset) + " were asked for");
  }
  try {
    state_->read(offset, out);
  } catch (...) {
    wipe_memory(out.data(), out.size());
    throw;
  }
}

}  // namespace phalanx
