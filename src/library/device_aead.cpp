// phalanx::DeviceAead: what the host can see of its arguments, and what verdicts mean.
#include <phalanx/device_aead.hpp>
#include <utility>

#include "engines/registry.hpp"
#include "library/argument_checks.hpp"
#include "library/xaes.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {
namespace {

static_assert(static_cast<std::uint8_t>(DeviceVerdict::forged) == verdict_forged &&
              static_cast<std::uint8_t>(DeviceVerdict::authentic) == verdict_authentic &&
              static_cast<std::uint8_t>(DeviceVerdict::misplaced) == verdict_misplaced && sizeof(DeviceVerdict) == 1);

const CipherFacts& facts_of_device_aead(std::string_view name) {
  const CipherFacts& facts = cipher_facts(name);
  if (facts.tag_bytes == 0) fail_usage(facts.name + " has no tag: a DeviceAead takes a cipher in gcm");
  return facts;
}

const Engine& engine_of(const std::string& name) {
  if (name.empty()) return find_engine("cuda");
  if (!name.starts_with("cuda")) fail_usage("the engine " + name + " cannot reach a GPU's memory: choose cuda");
  return find_engine(name);
}

Bytes memory_of(const void* data, std::size_t num_bytes) { return {static_cast<const std::uint8_t*>(data), num_bytes}; }

void check_there(const void* data, std::size_t num_bytes, const char* what) {
  if (data == nullptr && num_bytes != 0) fail_usage(std::string(what) + " is null");
  if (num_bytes > PTRDIFF_MAX) fail_usage(std::string(what) + " cannot have the size " + std::to_string(num_bytes));
}

// What is written shares nothing with what is read, but `out` with `in` where they are the same.
void check_apart(Bytes written, Bytes other, const char* what) {
  if (share_memory(written, other)) fail_usage(std::string(what) + " overlap: give them memory of their own");
}

// An array of numbers.
Bytes check_numbers(const DeviceBatch& batch, const void* numbers, std::size_t count, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(numbers) % batch.offset_bytes != 0) {
    fail_usage(std::string(what) + " are not aligned to " + text_of(batch.offset_bytes));
  }
  return memory_of(numbers, numbers == nullptr ? 0 : count * batch.offset_bytes);
}

void check_batch(const DeviceBatch& batch, const CipherFacts& facts, std::size_t tag_bytes, bool is_open) {
  if (batch.keys != nullptr && is_xaes(facts.name))
    fail_usage("messages of " + facts.name + " bring no keys in a GPU's memory");
  if (batch.offset_bytes != 4 && batch.offset_bytes != 8) {
    fail_usage("offsets have 4 bytes or 8, and " + std::to_string(batch.offset_bytes) + " were asked for");
  }
  if (reinterpret_cast<std::uintptr_t>(batch.keys) % 8 != 0) fail_usage("keys are not aligned to 8 bytes");
  constexpr std::size_t most_messages = std::size_t{1} << 40;
  if (batch.num_messages > most_messages) fail_usage("no batch has so many messages");
  check_there(batch.in, batch.in_bytes, "in");
  check_there(batch.out, batch.out_bytes, "out");
  check_there(batch.in_offsets, batch.num_messages, "in_offsets");
  check_there(batch.nonces, batch.num_messages, "nonces");
  check_there(batch.tags, batch.num_messages, "tags");
  check_there(batch.associated_data, batch.associated_bytes, "associated_data");
  const Bytes in = memory_of(batch.in, batch.in_bytes);
  const Bytes out = memory_of(batch.out, batch.out_bytes);
  if (in.data() == out.data() ? in.size() != out.size() : share_memory(in, out)) {
    fail_usage("in and out overlap in part: give the same memory for both, or memory that is disjoint");
  }
  const Bytes tags = memory_of(batch.tags, batch.num_messages * tag_bytes);
  const std::size_t count = batch.num_messages;
  const std::pair<Bytes, const char*> read[] = {
      {check_numbers(batch, batch.in_offsets, count + (batch.lengths == nullptr ? 1 : 0), "in_offsets"), "in_offsets"},
      {check_numbers(batch, batch.lengths, count, "lengths"), "lengths"},
      {check_numbers(batch, batch.out_offsets, count, "out_offsets"), "out_offsets"},
      {check_numbers(batch, batch.associated_offsets, count + 1, "associated_offsets"), "associated_offsets"},
      {memory_of(batch.associated_data, batch.associated_bytes), "associated_data"},
      {memory_of(batch.nonces, count * facts.iv_bytes), "nonces"},
      {memory_of(batch.keys, batch.keys == nullptr ? 0 : count * facts.key_bytes), "keys"}};
  for (const auto& [memory, what] : read) {
    check_apart(out, memory, (std::string("out and ") + what).c_str());
    if (!is_open) check_apart(tags, memory, (std::string("tags and ") + what).c_str());
  }
  check_apart(out, tags, "out and tags");
  if (!is_open) check_apart(tags, in, "in and tags");
}

DeviceGcmArrays arrays_of(const DeviceBatch& batch, const CipherFacts& facts, std::size_t tag_bytes) {
  return {.in = static_cast<const std::uint8_t*>(batch.in),
          .in_bytes = batch.in_bytes,
          .out = static_cast<std::uint8_t*>(batch.out),
          .out_bytes = batch.out_bytes,
          .associated = static_cast<const std::uint8_t*>(batch.associated_data),
          .associated_bytes = batch.associated_bytes,
          .in_offsets = batch.in_offsets,
          .out_offsets = batch.out_offsets,
          .lengths = batch.lengths,
          .associated_offsets = batch.associated_offsets,
          .nonces = static_cast<const std::uint8_t*>(batch.nonces),
          .keys = static_cast<const std::uint8_t*>(batch.keys),
          .tags = static_cast<std::uint8_t*>(batch.tags),
          .num_messages = batch.num_messages,
          .offset_bytes = static_cast<unsigned>(batch.offset_bytes),
          .tag_bytes = static_cast<unsigned>(tag_bytes),
          .key_bytes = static_cast<unsigned>(facts.key_bytes),
          .nonce_bytes = static_cast<unsigned>(facts.iv_bytes),
          .tag_place = GcmTags::apart};
}

}  // namespace

struct DeviceVerdicts::State {
  std::unique_ptr<DeviceGcmVerdicts> verdicts;
};

DeviceVerdicts::DeviceVerdicts(std::unique_ptr<const State> state) : state_(std::move(state)) {}
DeviceVerdicts::~DeviceVerdicts() = default;
DeviceVerdicts::DeviceVerdicts(DeviceVerdicts&&) noexcept = default;
DeviceVerdicts& DeviceVerdicts::operator=(DeviceVerdicts&&) noexcept = default;

std::size_t DeviceVerdicts::num_messages() const { return state_->verdicts->num_messages(); }
const std::uint32_t* DeviceVerdicts::all_authentic() const { return state_->verdicts->all_authentic(); }
const DeviceVerdict* DeviceVerdicts::each() const {
  return reinterpret_cast<const DeviceVerdict*>(state_->verdicts->each());
}
void DeviceVerdicts::require(void* stream) const { state_->verdicts->require(stream); }

void DeviceVerdicts::wait() const {
  if (state_->verdicts->are_all_authentic()) return;
  if (const auto verdicts = read(); verdicts.front() == DeviceVerdict::misplaced) {
    fail_usage("the batch's offsets or lengths do not fit its memory, or do not ascend: nothing was written");
  }
  throw Error(ErrorCode::authentication, "a tag does not verify: wrong key, nonce or associated data, or changed data");
}

std::vector<DeviceVerdict> DeviceVerdicts::read() const {
  std::vector<DeviceVerdict> verdicts(num_messages());
  state_->verdicts->read({reinterpret_cast<std::uint8_t*>(verdicts.data()), verdicts.size()});
  return verdicts;
}

struct DeviceAead::State {
  const CipherFacts& facts;
  std::size_t tag_bytes;
  std::string engine_name;
  std::unique_ptr<KeyedDeviceGcm> gcm;

  State(std::string_view name, Bytes key, const Options& options, std::size_t wanted_tag_bytes)
      : facts(facts_of_device_aead(name)), tag_bytes(wanted_tag_bytes) {
    check_key(facts, key);
    check_options(options);
    check_tag_bytes(facts, tag_bytes);
    const Engine& engine = engine_of(options.engine);
    engine_name = engine.info().name;
    gcm = engine.set_device_gcm_key(*find_cipher(is_xaes(facts.name) ? "aes-256" : facts.cipher), key);
  }

  [[nodiscard]] std::unique_ptr<DeviceGcmVerdicts> crypt(Direction direction, Bytes nonce, Bytes associated_data,
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
    return gcm->crypt(direction,
                      {nonce, associated_data, static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out),
                       num_bytes, tag_bytes_at, static_cast<unsigned>(tag_bytes)},
                      stream);
  }
  [[nodiscard]] std::unique_ptr<DeviceGcmVerdicts> crypt_batch(Direction direction, const DeviceBatch& batch,
                                                               void* stream) const {
    refuse_to_seal_short(direction);
    check_batch(batch, facts, tag_bytes, direction == Direction::decrypt);
    return gcm->crypt_batch(direction, arrays_of(batch, facts, tag_bytes), stream);
  }

 private:
  // Throws Error (policy): SP 800-38D appendix C has what a short tag costs.
  void refuse_to_seal_short(Direction direction) const {
    if (tag_bytes == 16 || direction == Direction::decrypt) return;
    throw Error(ErrorCode::policy, "this DeviceAead has tags of " + text_of(tag_bytes) +
                                       ", to open what has such: seal with a DeviceAead of 16 bytes");
  }
};

DeviceAead::DeviceAead(std::string_view name, Bytes key, const Options& options, std::size_t tag_bytes)
    : state_(std::make_unique<const State>(name, key, options, tag_bytes)) {}
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
