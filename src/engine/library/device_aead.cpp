// phalanx::DeviceAead: what the host can see of its arguments.
#include <phalanx/device_aead.hpp>
#include <utility>

#include "engine/engines/device_memory.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/device_batch.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/xaes.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {
namespace {

const CipherFacts& facts_of_device_aead(std::string_view name) {
  const CipherFacts& facts = cipher_facts(name);
  if (facts.tag_bytes == 0) fail_usage(facts.name + " has no tag: a DeviceAead takes a cipher in gcm");
  return facts;
}

}  // namespace

struct DeviceAead::State {
  const CipherFacts& facts;
  std::size_t tag_bytes;
  std::string engine_name;
  std::unique_ptr<KeyedDeviceAead> aead;

  State(std::string_view name, Bytes key, const EngineOptions& options, const AeadOptions& wanted)
      : facts(facts_of_device_aead(name)), tag_bytes(wanted.tag_bytes) {
    check_key(facts, key);
    check_options(options);
    check_tag_bytes(facts, tag_bytes);
    if (wanted.any_nonce_size) fail_usage("a DeviceAead takes nonces of one size: leave any_nonce_size false");
    const Engine& engine = find_engine(device_engine_name(options.engine));
    engine_name = engine.info().name;
    aead = device_memory_of(engine).set_device_aead_key(parse_cipher_name(is_xaes(facts.name) ? "aes-256-gcm" : facts.name),
                                                        key);
  }

  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt(Direction direction, Bytes nonce, Bytes associated_data,
                                                         const void* in, void* out, std::size_t num_bytes, const void* tag,
                                                         void* stream) const {
    refuse_to_seal_short(direction);
    if (nonce.size() != facts.iv_bytes) {
      fail_usage("the nonce of " + facts.name + " is " + text_of(facts.iv_bytes) + ", and " + text_of(nonce.size()) +
                 " were given");
    }
    constexpr std::size_t most_bytes = (std::size_t{1} << 36) - 32;  // SP 800-38D section 5.2.1.1: 2^39 - 256 bits
    if (num_bytes > most_bytes) fail_usage("a message of " + facts.name + " has at most " + text_of(most_bytes));
    check_there(in, num_bytes, "in");
    check_there(out, num_bytes, "out");
    check_there(tag, tag_bytes, "the tag");
    check_out(memory_of(in, num_bytes), memory_of(out, num_bytes));
    check_apart(memory_of(out, num_bytes), memory_of(tag, tag_bytes), "out and the tag");
    if (direction == Direction::encrypt) check_apart(memory_of(tag, tag_bytes), memory_of(in, num_bytes), "in and the tag");
    auto* const tag_bytes_at = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(tag));  // read, to open
    return aead->crypt(direction,
                       {nonce, associated_data, static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out),
                        num_bytes, tag_bytes_at, static_cast<unsigned>(tag_bytes)},
                       stream);
  }
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_batch(Direction direction, const DeviceBatch& batch,
                                                               void* stream) const {
    refuse_to_seal_short(direction);
    if (batch.keys != nullptr && is_xaes(facts.name))
      fail_usage("messages of " + facts.name + " bring no keys in a GPU's memory");
    const DeviceBatchParts parts{facts.iv_bytes, facts.key_bytes, tag_bytes, direction == Direction::encrypt};
    check_batch(batch, parts);
    return aead->crypt_batch(direction, arrays_of(batch, parts), stream);
  }

 private:
  // Throws Error (policy): SP 800-38D appendix C has what a short tag costs.
  void refuse_to_seal_short(Direction direction) const {
    if (tag_bytes == 16 || direction == Direction::decrypt) return;
    throw Error(ErrorCode::policy, "this DeviceAead has tags of " + text_of(tag_bytes) +
                                       ", to open what has such: seal with a DeviceAead of 16 bytes");
  }
};

DeviceAead::DeviceAead(std::string_view name, Bytes key, const EngineOptions& options, const AeadOptions& aead)
    : state_(std::make_unique<const State>(name, key, options, aead)) {}
DeviceAead::~DeviceAead() = default;
DeviceAead::DeviceAead(DeviceAead&&) noexcept = default;
DeviceAead& DeviceAead::operator=(DeviceAead&&) noexcept = default;

const CipherFacts& DeviceAead::facts() const { return state_->facts; }
const std::string& DeviceAead::engine() const { return state_->engine_name; }
std::size_t DeviceAead::tag_bytes() const { return state_->tag_bytes; }

void DeviceAead::seal(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, void* tag,
                      void* stream) const {
  state_->crypt(Direction::encrypt, nonce, associated_data, in, out, num_bytes, tag, stream)->leave();
}
void DeviceAead::open(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes, const void* tag,
                      void* stream) const {
  open_async(nonce, associated_data, in, out, num_bytes, tag, stream).wait();
}
DeviceVerdicts DeviceAead::open_async(Bytes nonce, Bytes associated_data, const void* in, void* out, std::size_t num_bytes,
                                      const void* tag, void* stream) const {
  using Verdicts = DeviceVerdicts::State;
  return DeviceVerdicts(std::make_unique<const Verdicts>(
      Verdicts{state_->crypt(Direction::decrypt, nonce, associated_data, in, out, num_bytes, tag, stream)}));
}

void DeviceAead::seal_batch(const DeviceBatch& batch, void* stream) const { seal_batch_async(batch, stream).wait(); }
void DeviceAead::open_batch(const DeviceBatch& batch, void* stream) const { open_batch_async(batch, stream).wait(); }
DeviceVerdicts DeviceAead::seal_batch_async(const DeviceBatch& batch, void* stream) const {
  using Verdicts = DeviceVerdicts::State;
  return DeviceVerdicts(std::make_unique<const Verdicts>(Verdicts{state_->crypt_batch(Direction::encrypt, batch, stream)}));
}
DeviceVerdicts DeviceAead::open_batch_async(const DeviceBatch& batch, void* stream) const {
  using Verdicts = DeviceVerdicts::State;
  return DeviceVerdicts(std::make_unique<const Verdicts>(Verdicts{state_->crypt_batch(Direction::decrypt, batch, stream)}));
}

}  // namespace phalanx
