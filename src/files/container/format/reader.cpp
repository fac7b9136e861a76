// This is the public interface of containers in memory, and of any part of one.

#include <algorithm>
#include <phalanx/files/container.hpp>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/chunked/message_reader.hpp"
#include "engine/library/argument_checks.hpp"
#include "files/container/format/header.hpp"

namespace phalanx {
namespace {

void append(MutableBytes& out, Bytes bytes) {
  std::copy(bytes.begin(), bytes.end(), out.begin());
  out = out.subspan(bytes.size());
}

}  // namespace

struct ContainerReader::State {
  std::string suite;
  MessageReader body;

  static std::unique_ptr<const State> of(PlacedBytes container, std::span<const Identity> identities,
                                         const EngineOptions& options, const CostLimits& limits, const Binding& binding);
};

std::unique_ptr<const ContainerReader::State> ContainerReader::State::of(PlacedBytes container,
                                                                         std::span<const Identity> identities,
                                                                         const EngineOptions& options,
                                                                         const CostLimits& limits, const Binding& binding) {
  std::vector<std::uint8_t> buffer;
  const std::size_t header_size = header_bytes(container.fetch_first(header_start_bytes, buffer));
  const ContainerHeader header = parse_header(container.fetch_first(header_size, buffer));
  const OpenedHeader opened = open_header(header, identities, limits, binding);
  const std::uint64_t chunks_offset = header_size + message_prefix_bytes;
  if (container.size() < chunks_offset) {
    throw Error(ErrorCode::truncated, "the container ends before its first chunk: it is cut short");
  }
  MessagePrefix prefix;
  const Bytes found = container.fetch(header_size, prefix.size(), buffer);
  std::copy(found.begin(), found.end(), prefix.begin());
  ChunkedCipher cipher = open_body(header, opened.data_key, prefix, binding.context, options);
  return std::make_unique<const State>(
      State{header.suite->name, MessageReader(std::move(container), chunks_offset, std::move(cipher))});
}

ContainerReader::ContainerReader(ReadAt read_at, std::uint64_t container_bytes, std::span<const Identity> identities,
                                 const EngineOptions& options, const CostLimits& limits, const Binding& binding) {
  if (!read_at) fail_usage("a container's reader needs a function that reads");
  state_ = State::of(PlacedBytes(std::move(read_at), container_bytes), identities, options, limits, binding);
}

ContainerReader::ContainerReader(Bytes container, std::span<const Identity> identities, const EngineOptions& options,
                                 const CostLimits& limits, const Binding& binding)
    : state_(State::of(PlacedBytes(container), identities, options, limits, binding)) {}

ContainerReader::~ContainerReader() = default;
ContainerReader::ContainerReader(ContainerReader&&) noexcept = default;
ContainerReader& ContainerReader::operator=(ContainerReader&&) noexcept = default;

namespace {

constexpr const char* moved_reader = "this container's reader was moved from: use the one that it was moved to";

}  // namespace

std::uint64_t ContainerReader::size() const { return state_of(state_, moved_reader).body.plain_bytes(); }
const std::string& ContainerReader::suite() const { return state_of(state_, moved_reader).suite; }

void ContainerReader::read(std::uint64_t offset, MutableBytes out) const {
  state_of(state_, moved_reader).body.read(offset, out);
}
void ContainerReader::read_to_device(std::uint64_t offset, void* out, std::size_t num_bytes, void* stream) const {
  state_of(state_, moved_reader).body.read_to_device(offset, out, num_bytes, stream);
}

inline namespace PHALANX_VERSION_NAMESPACE {

std::uint64_t container_bytes(std::string_view suite, std::span<const Recipient> recipients, std::uint64_t plain_bytes,
                              const Binding& binding) {
  return new_header_bytes(find_suite(suite), recipients, binding) + message_prefix_bytes + chunks_bytes(plain_bytes);
}

void seal_container(std::string_view suite_name, std::span<const Recipient> recipients, Bytes in, MutableBytes out,
                    const EngineOptions& options, const Binding& binding) {
  const Suite& suite = find_suite(suite_name);
  const std::uint64_t size = container_bytes(suite_name, recipients, in.size(), binding);
  if (out.size() != size) {
    fail_usage("the container takes " + std::to_string(size) + " bytes, and room for " + std::to_string(out.size()) +
               " was given: container_bytes says how many");
  }
  check_disjoint(in, out);
  const NewHeader made = make_new_header(suite, recipients, binding);
  const ChunkedCipher cipher = begin_body(made.header, made.data_key, binding.context, options);
  append(out, made.header.bytes);
  append(out, cipher.prefix());
  cipher.seal(0, in, out);
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
