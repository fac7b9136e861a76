// phalanx::DeviceChunkedAead: what the host does of a message in a GPU's memory, its sizes, its keys and its first bytes.
#include <phalanx/chunked.hpp>
#include <phalanx/device_aead.hpp>

#include "engine/chunked/chunked_key.hpp"
#include "engine/engines/device_memory.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/device_batch.hpp"

namespace phalanx {
namespace {

constexpr const char* moved_key = "this key of messages was moved from: use the object that it was moved to";

EngineOptions options_of_device(EngineOptions options) {
  options.engine = device_engine_name(options.engine);
  return options;
}

// Sizes beyond PTRDIFF_MAX are refused.
void check_memory(const void* in, std::uint64_t in_bytes, const void* out, std::uint64_t out_bytes) {
  check_there(in, in_bytes, "in");
  check_there(out, out_bytes, "out");
  check_apart(memory_of(out, out_bytes), memory_of(in, in_bytes), "in and out");
}

}  // namespace

struct DeviceChunkedAead::State {
  ChunkedKey key;

  // Enqueues the work under keys of its own, which go with the verdicts.
  static std::unique_ptr<DeviceVerdicts::State> crypt(Direction direction, ChunkedCipher keys, const void* in, void* out,
                                                      std::uint64_t plain_bytes, void* stream) {
    const auto kept = std::make_shared<const ChunkedCipher>(std::move(keys));
    auto state = std::make_unique<DeviceVerdicts::State>(kept->crypt_on_device(direction, in, out, plain_bytes, stream));
    state->key = kept;
    state->fail = fail_not_authentic;
    return state;
  }
};

DeviceChunkedAead::DeviceChunkedAead(std::string_view name, Bytes key, Bytes context, const EngineOptions& options)
    : state_(std::make_unique<const State>(State{ChunkedKey(name, key, context, options_of_device(options))})) {}
DeviceChunkedAead::~DeviceChunkedAead() = default;
DeviceChunkedAead::DeviceChunkedAead(DeviceChunkedAead&&) noexcept = default;
DeviceChunkedAead& DeviceChunkedAead::operator=(DeviceChunkedAead&&) noexcept = default;

const std::string& DeviceChunkedAead::name() const { return state_of(state_, moved_key).key.name; }
const std::string& DeviceChunkedAead::engine() const { return state_of(state_, moved_key).key.engine; }

void DeviceChunkedAead::seal(const void* in, std::uint64_t plain_bytes, void* out, void* stream) const {
  seal_async(in, plain_bytes, out, stream).wait();
}

DeviceVerdicts DeviceChunkedAead::seal_async(const void* in, std::uint64_t plain_bytes, void* out, void* stream) const {
  const ChunkedKey& key = state_of(state_, moved_key).key;
  check_memory(in, plain_bytes, out, ChunkedAead::sealed_bytes(plain_bytes));
  return DeviceVerdicts(State::crypt(Direction::encrypt, key.new_message(), in, out, plain_bytes, stream));
}

void DeviceChunkedAead::open(const void* in, std::uint64_t sealed_bytes, void* out, void* stream) const {
  const ChunkedKey& key = state_of(state_, moved_key).key;
  check_memory(in, sealed_bytes, out, ChunkedAead::plain_bytes(sealed_bytes));
  MessagePrefix first_bytes;
  device_memory_of(find_engine(key.engine)).read_device(in, first_bytes, stream);
  open_async(first_bytes, in, sealed_bytes, out, stream).wait();
}

DeviceVerdicts DeviceChunkedAead::open_async(Bytes first_bytes, const void* in, std::uint64_t sealed_bytes, void* out,
                                             void* stream) const {
  const ChunkedKey& key = state_of(state_, moved_key).key;
  const std::uint64_t plain_bytes = ChunkedAead::plain_bytes(sealed_bytes);
  check_memory(in, sealed_bytes, out, plain_bytes);
  if (first_bytes.size() != message_prefix_bytes) {
    fail_usage("a message's first bytes are " + std::to_string(message_prefix_bytes) + ", and " +
               text_of(first_bytes.size()) + " were given");
  }
  const void* const chunks = static_cast<const std::uint8_t*>(in) + message_prefix_bytes;
  return DeviceVerdicts(State::crypt(Direction::decrypt, key.message_of(first_bytes), chunks, out, plain_bytes, stream));
}

}  // namespace phalanx
