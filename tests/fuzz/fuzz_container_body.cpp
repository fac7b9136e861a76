// Containers that were changed anywhere: whatever is read is what was sealed, or an Error.
#include <algorithm>
#include <phalanx/files/container.hpp>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/chunked/suite.hpp"
#include "files/container/file/stages.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/format/body_facts.hpp"
#include "files/container/format/header.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "fixed_random_bytes.hpp"
#include "tests/fuzz/driver/memory_streams.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t most_plain_bytes = 3 * plain_chunk_bytes + 2;
const EngineOptions one_thread{"cpu", 1};
const EngineOptions some_threads{"cpu", 3};

const Buffer context = {'c', 'o', 'n', 't', 'e', 'x', 't'};

struct Sealed {
  Buffer key;
  Buffer plain;
  Buffer container;
  Binding binding{};

  [[nodiscard]] Recipient recipient() const { return {.kind = KeyKind::key, .secret = key, .cost = {}}; }
};

// Sizes at the ends of chunks, or any.
std::size_t take_plain_bytes(FuzzedInput& input) {
  if (input.flag()) return (input.below(3) + 1) * plain_chunk_bytes - 1 + input.below(3);
  return input.below(most_plain_bytes);
}

Sealed seal(FuzzedInput& input) {
  const auto suites = all_suites();
  const std::size_t choice = input.below(4 * suites.size());
  const Suite& suite = suites[choice % suites.size()];
  Sealed sealed{.key = Buffer(suite.key_bytes, 7), .plain = Buffer(take_plain_bytes(input)), .container = {}};
  for (std::size_t i = 0; i < sealed.plain.size(); ++i) sealed.plain[i] = static_cast<std::uint8_t>(i ^ i >> 8);
  const Recipient recipient = sealed.recipient();
  if (choice / suites.size() % 2 == 1) sealed.binding.context = context;
  if (choice / suites.size() >= 2) sealed.binding.name = "a/b";
  sealed.container.resize(container_bytes(suite.name, {&recipient, 1}, sealed.plain.size(), sealed.binding));
  test::set_random_seed("fuzz");
  seal_container(suite.name, {&recipient, 1}, sealed.plain, sealed.container, one_thread, sealed.binding);
  return sealed;
}

void copy_chunk(Buffer& container, std::size_t body, std::size_t from, std::size_t to) {
  const std::size_t source = body + from * sealed_chunk_bytes;
  const std::size_t target = body + to * sealed_chunk_bytes;
  if (std::max(source, target) + sealed_chunk_bytes > container.size()) return;
  std::copy_n(container.begin() + static_cast<std::ptrdiff_t>(source), sealed_chunk_bytes,
              container.begin() + static_cast<std::ptrdiff_t>(target));
}

// One way to change what lies on a disk.
void change(Buffer& container, std::size_t body, FuzzedInput& input) {
  switch (input.below(5)) {
    case 0:
      if (!container.empty()) container[input.below(container.size())] ^= static_cast<std::uint8_t>(1U << input.below(8));
      break;
    case 1:  // in the header, where one byte of the input is enough to say where
      if (!container.empty())
        container[std::min(input.below(256), container.size() - 1)] = static_cast<std::uint8_t>(input.below(256));
      break;
    case 2:
      container.resize(input.below(container.size() + 1));
      break;
    case 3: {
      const Bytes more = input.take(input.below(64));
      container.insert(container.end(), more.begin(), more.end());
      break;
    }
    default:
      copy_chunk(container, body, input.below(4), input.below(4));
      break;
  }
}

void read_as_stream(const Sealed& sealed, Bytes container) {
  MemorySource source(container);
  MemorySink sink;
  const Identity identity = identity_of(sealed.recipient());
  const auto error = error_of([&] {
    const ContainerHeader header = read_header(source);
    const OpenedHeader opened = open_header(header, {&identity, 1}, {}, sealed.binding);
    const ChunkedCipher cipher = read_body_prefix(source, header, opened.data_key, sealed.binding.context, some_threads);
    Progress progress;
    StreamPieces reader(source, sealed_piece_bytes, 0);
    StreamSink pieces(sink);
    open_chunks(reader, cipher, {}, pieces, some_threads, progress);
  });
  require(sink.bytes.size() <= sealed.plain.size() && same(sink.bytes, Bytes(sealed.plain).first(sink.bytes.size())),
          "what a stream gives is the beginning of what was sealed");
  require(error.has_value() != same(container, sealed.container), "a stream ends well only if nothing was changed");
}

ReadAt reader_of(Bytes bytes) {
  return [bytes](std::uint64_t offset, MutableBytes out) {
    require(offset <= bytes.size() && out.size() <= bytes.size() - offset, "nothing is asked for beyond the end");
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  };
}

// What a container shows, and what of it is authentic.
void check_facts(const Sealed& sealed, Bytes container) {
  const bool unchanged = same(container, sealed.container);
  const ReadAt read_at = reader_of(container);
  BodyFacts shown;
  BodyFacts facts;
  const auto error = error_of([&] { shown = shown_body_facts(read_at, container.size()); });
  require(!error || !unchanged, "what was sealed shows what it is");
  const Identity identity = identity_of(sealed.recipient());
  std::uint64_t position = 0;
  const auto error_with_key = error_of([&] {
    MemorySource source(container);
    const ContainerHeader header = read_header(source);
    position = header.bytes.size();
    const OpenedHeader opened = open_header(header, {&identity, 1}, {}, sealed.binding);
    const ChunkedCipher cipher = read_body_prefix(source, header, opened.data_key, sealed.binding.context, one_thread);
    facts = authentic_body_facts(cipher, read_at, position, container.size());
  });
  require(!error_with_key || !unchanged, "and is authentic");
  if (error || error_with_key) return;
  require(facts.is_same_body(shown), "what is authentic is what was shown");
  require(facts.plain_bytes == sealed.plain.size(), "and as long as what was sealed");
  require(shown.header == digest_header(container.first(position)), "the digest of a header is of all of it");
  Sha256 digest;
  digest.update(container.subspan(position));
  require(digest_body(read_at, position, container.size()) == digest.finish_bytes(), "a digest is of the whole body");
}

void read_anywhere(const Sealed& sealed, Bytes container, FuzzedInput& input) {
  const Identity identity = identity_of(sealed.recipient());
  const bool unchanged = same(container, sealed.container);
  const std::span identities(&identity, 1);
  std::optional<ContainerReader> reader;
  if (error_of([&] {
        if (input.flag()) {
          reader.emplace(reader_of(container), container.size(), identities, one_thread, CostLimits{}, sealed.binding);
        } else {
          const EngineOptions& options = input.below(8) == 7 ? some_threads : one_thread;
          reader.emplace(container, identities, options, CostLimits{}, sealed.binding);
        }
      })) {
    require(!unchanged, "what was sealed opens");
    return;
  }
  require(reader->size() == sealed.plain.size(), "the length is authentic once it is open");
  Buffer out(reader->size());
  const auto whole = error_of([&] { reader->read(0, out); });
  require(whole.has_value() != unchanged, "all of it reads only if nothing was changed");
  for (int i = 0; i < 3; ++i) {
    const std::size_t offset = input.below(out.size() + 1);
    Buffer part(input.below(out.size() - offset + 1), 0xee);
    const Bytes expected = Bytes(sealed.plain).subspan(offset, part.size());
    if (error_of([&] { reader->read(offset, part); })) {
      require(std::ranges::all_of(part, [](std::uint8_t byte) { return byte == 0; }), "a part that fails holds zeros");
    } else {
      require(same(part, expected), "a part that reads is what was sealed");
    }
  }
  Buffer beyond(1);
  require(error_of([&] { reader->read(reader->size(), beyond); }).has_value(), "nothing is read behind the end");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t how = input.below(4);  // one in four as a stream, which starts threads, and takes longer
  const Sealed sealed = seal(input);
  const std::size_t body = sealed.container.size() - static_cast<std::size_t>(phalanx::chunks_bytes(sealed.plain.size()));
  Buffer changed = sealed.container;
  for (std::size_t num_changes = input.below(4); num_changes > 0; --num_changes) change(changed, body, input);
  if (how == 3) {
    read_as_stream(sealed, changed);
  } else if (how == 2) {
    check_facts(sealed, changed);
  } else {
    read_anywhere(sealed, changed, input);
  }
  return 0;
}
