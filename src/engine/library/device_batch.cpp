// This checks all that the host can see of batches in a GPU's memory. It crypts the batches of DeviceCipher, and tells
// the meaning of verdicts.
#include "engine/library/device_batch.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/engines/device_memory.hpp"
#include "engine/library/keyed_mode.hpp"

namespace phalanx {
namespace {

static_assert(static_cast<std::uint8_t>(DeviceVerdict::forged) == verdict_forged &&
              static_cast<std::uint8_t>(DeviceVerdict::authentic) == verdict_authentic &&
              static_cast<std::uint8_t>(DeviceVerdict::misplaced) == verdict_misplaced && sizeof(DeviceVerdict) == 1);

// Checks the place of an array of numbers, and returns its memory.
Bytes check_numbers(const DeviceBatch& batch, const void* numbers, std::size_t count, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(numbers) % batch.offset_bytes != 0) {
    fail_usage(std::string(what) + " are not aligned to " + text_of(batch.offset_bytes));
  }
  return memory_of(numbers, numbers == nullptr ? 0 : count * batch.offset_bytes);
}

}  // namespace

void check_there(const void* data, std::size_t num_bytes, const char* what) {
  if (data == nullptr && num_bytes != 0) fail_usage(std::string(what) + " is null");
  if (num_bytes > PTRDIFF_MAX) fail_usage(std::string(what) + " cannot have the size " + std::to_string(num_bytes));
}

void check_apart(Bytes written, Bytes other, const char* what) {
  if (share_memory(written, other)) fail_usage(std::string(what) + " overlap: give them memory of their own");
}

std::string device_engine_name(const std::string& name) {
  if (name.empty()) return "cuda";
  if (!name.starts_with("cuda")) fail_usage("the engine " + name + " cannot reach a GPU's memory: choose cuda");
  return name;
}

void check_batch(const DeviceBatch& batch, const DeviceBatchParts& parts) {
  if (batch.offset_bytes != 4 && batch.offset_bytes != 8) {
    fail_usage("offsets have 4 bytes or 8, and " + std::to_string(batch.offset_bytes) + " were asked for");
  }
  if (reinterpret_cast<std::uintptr_t>(batch.keys) % 8 != 0) fail_usage("keys are not aligned to 8 bytes");
  constexpr std::size_t most_messages = std::size_t{1} << 40;
  if (batch.num_messages > most_messages) fail_usage("no batch has so many messages");
  check_there(batch.in, batch.in_bytes, "in");
  check_there(batch.out, batch.out_bytes, "out");
  check_there(batch.in_offsets, batch.num_messages, "in_offsets");
  check_there(batch.nonces, batch.num_messages * parts.iv_bytes, "nonces");
  check_there(batch.tags, batch.num_messages * parts.tag_bytes, "tags");
  check_there(batch.associated_data, batch.associated_bytes, "associated_data");
  const Bytes in = memory_of(batch.in, batch.in_bytes);
  const Bytes out = memory_of(batch.out, batch.out_bytes);
  if (in.data() == out.data() ? in.size() != out.size() : share_memory(in, out)) {
    fail_usage("in and out overlap in part: give the same memory for both, or memory that is disjoint");
  }
  const Bytes tags = memory_of(batch.tags, batch.num_messages * parts.tag_bytes);
  const std::size_t count = batch.num_messages;
  const std::pair<Bytes, const char*> read[] = {
      {check_numbers(batch, batch.in_offsets, count + (batch.lengths == nullptr ? 1 : 0), "in_offsets"), "in_offsets"},
      {check_numbers(batch, batch.lengths, count, "lengths"), "lengths"},
      {check_numbers(batch, batch.out_offsets, count, "out_offsets"), "out_offsets"},
      {check_numbers(batch, batch.associated_offsets, count + 1, "associated_offsets"), "associated_offsets"},
      {memory_of(batch.associated_data, batch.associated_bytes), "associated_data"},
      {memory_of(batch.nonces, count * parts.iv_bytes), "nonces"},
      {memory_of(batch.keys, batch.keys == nullptr ? 0 : count * parts.key_bytes), "keys"}};
  for (const auto& [memory, what] : read) {
    check_apart(out, memory, (std::string("out and ") + what).c_str());
    if (parts.writes_tags) check_apart(tags, memory, (std::string("tags and ") + what).c_str());
  }
  check_apart(out, tags, "out and tags");
  if (parts.writes_tags) check_apart(tags, in, "in and tags");
}

DeviceBatchArrays arrays_of(const DeviceBatch& batch, const DeviceBatchParts& parts) {
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
          .tag_bytes = static_cast<unsigned>(parts.tag_bytes),
          .key_bytes = static_cast<unsigned>(parts.key_bytes),
          .nonce_bytes = static_cast<unsigned>(parts.iv_bytes),
          .tag_place = TagPlace::apart};
}

std::unique_ptr<DeviceBatchResult> KeyedMode::crypt_device_batch(Direction direction, const DeviceBatch& batch,
                                                                 void* stream) const {
  if (batch.tags != nullptr || batch.associated_data != nullptr || batch.associated_offsets != nullptr) {
    fail_usage(name() + " authenticates nothing, and the batch has tags or associated data: take a DeviceAead");
  }
  const DeviceBatchParts parts{iv_bytes(), facts.key_bytes, 0, false};
  check_batch(batch, parts);
  DeviceBatchArrays arrays = arrays_of(batch, parts);
  const bool is_xts = mode() == Mode::xts;
  arrays.least_bytes = facts_of(mode()).length == MessageLength::from_a_block ? block_bytes() : 0;
  arrays.most_bytes = is_xts && direction == Direction::encrypt ? most_unit_bytes : PTRDIFF_MAX;
  if (facts_of(mode()).length == MessageLength::whole_blocks) arrays.length_unit = static_cast<unsigned>(block_bytes());
  arrays.steals = is_xts;
  const KeyedDeviceCipher* const of_tweaks = is_xts ? &device_cipher_of(*tweak_key) : nullptr;
  return device_cipher_of(*data_key).crypt_device_batch(mode(), direction, of_tweaks, arrays, stream);
}

void KeyedMode::crypt_device_sectors(Direction direction, const DeviceSectors& sectors, void* stream) const {
  if (mode() != Mode::xts) fail_usage(name() + " has no sectors: choose xts");
  check_there(sectors.in, sectors.num_bytes, "in");
  check_there(sectors.out, sectors.num_bytes, "out");
  check_sectors(direction, sectors.sector_bytes, memory_of(sectors.in, sectors.num_bytes),
                memory_of(sectors.out, sectors.num_bytes));
  if (sectors.num_bytes == 0) return;
  const std::size_t count = (sectors.num_bytes - 1) / sectors.sector_bytes + 1;
  if (reinterpret_cast<std::uintptr_t>(sectors.numbers) % 8 != 0) fail_usage("numbers are not aligned to 8 bytes");
  check_apart(memory_of(sectors.out, sectors.num_bytes),
              memory_of(sectors.numbers, sectors.numbers == nullptr ? 0 : 8 * count), "out and numbers");
  device_cipher_of(*data_key).crypt_device_sectors(
      direction, device_cipher_of(*tweak_key),
      {static_cast<const std::uint8_t*>(sectors.in), static_cast<std::uint8_t*>(sectors.out), sectors.num_bytes,
       sectors.sector_bytes, sectors.numbers, sectors.first_tweak, sectors.tweak_step},
      stream);
}

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
  const std::vector<DeviceVerdict> verdicts = read();
  if (verdicts.front() == DeviceVerdict::misplaced) {
    fail_usage(
        "the batch's offsets or lengths do not fit its memory, do not ascend, or are none that the mode takes: "
        "nothing was written");
  }
  const auto first_forged = std::ranges::find(verdicts, DeviceVerdict::forged) - verdicts.begin();
  if (state_->fail != nullptr) state_->fail(static_cast<std::uint64_t>(first_forged));
  throw Error(ErrorCode::authentication, "a tag does not verify: wrong key, nonce or associated data, or changed data");
}

std::vector<DeviceVerdict> DeviceVerdicts::read() const {
  std::vector<DeviceVerdict> verdicts(num_messages());
  state_->verdicts->read({reinterpret_cast<std::uint8_t*>(verdicts.data()), verdicts.size()});
  return verdicts;
}

}  // namespace phalanx
