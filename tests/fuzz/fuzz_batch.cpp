// Batches of any messages, with or without keys of their own, on every engine here: each byte is the reference's.
#include <algorithm>

#include "engine/engines/registry.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/modes/named_cipher.hpp"
#include "reference/reference.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t most_messages = 40;
constexpr std::uint8_t untouched = 0xa5;

const std::vector<std::string>& engines_here() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> usable;
    for (const EngineInfo& engine : list_cpu_engines()) {
      if (engine.usable) usable.push_back(engine.name);
    }
    return usable;
  }();
  return names;
}

const NamedCipher& take_cipher(FuzzedInput& input) {
  static const std::vector<NamedCipher> names = [] {
    std::vector<NamedCipher> all;
    for (const CipherSpec& cipher : all_ciphers()) {
      for (unsigned mode = 0; mode < num_range_modes; ++mode) {
        if (is_mode_of(cipher, static_cast<Mode>(mode))) all.push_back({&cipher, static_cast<Mode>(mode)});
      }
    }
    return all;
  }();
  return input.one_of(names);
}

// Memory for one message, with a byte on either side of what may be written.
struct OneMessage {
  Buffer key;
  Buffer iv;
  Buffer in;
  Buffer out;

  [[nodiscard]] MutableBytes written() { return MutableBytes(out).subspan(1, in.size()); }
};

// What nothing is encrypted under, a key of XTS with equal halves, is made another.
Buffer take_key(FuzzedInput& input, const NamedCipher& named) {
  Buffer key = input.fill(key_bytes(named));
  if (named.mode == Mode::xts && has_equal_halves(key)) key.front() ^= 1;
  return key;
}

OneMessage take_message(FuzzedInput& input, const NamedCipher& named, bool own_key, bool in_place) {
  const std::size_t block_bytes = named.cipher->block_bytes;
  OneMessage message;
  if (own_key) message.key = take_key(input, named);
  message.iv = input.fill(named.mode == Mode::ecb ? 0 : block_bytes);
  std::size_t size = input.below(12) * block_bytes;
  if (named.mode != Mode::ecb && named.mode != Mode::cbc) size += input.below(block_bytes);
  if (named.mode == Mode::xts) size += block_bytes;
  message.in = input.fill(size);
  message.out.assign(size + 2, untouched);
  if (in_place) std::copy(message.in.begin(), message.in.end(), message.out.begin() + 1);
  return message;
}

void check(const NamedCipher& named, Direction direction, Bytes key, OneMessage& message) {
  const Bytes used_key = message.key.empty() ? key : Bytes(message.key);
  const Buffer expected = reference::crypt(full_name(named), direction, used_key, message.iv, message.in);
  require(same(message.written(), expected), "every byte is the reference's");
  require(message.out.front() == untouched && message.out.back() == untouched, "and no other byte is written");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::string& engine = input.one_of(engines_here());
  const NamedCipher& named = take_cipher(input);
  const Direction direction = input.flag() ? Direction::decrypt : Direction::encrypt;
  const bool in_place = input.flag();
  const bool some_keys = input.flag();
  const Buffer key = take_key(input, named);
  std::vector<OneMessage> messages;
  for (std::size_t left = input.below(most_messages); left > 0; --left) {
    messages.push_back(take_message(input, named, some_keys && input.flag(), in_place));
  }
  std::vector<Message> batch;
  for (OneMessage& message : messages) {
    const Bytes in = in_place ? Bytes(message.written()) : Bytes(message.in);
    batch.push_back({.iv = message.iv, .in = in, .out = message.written(), .key = message.key});
  }
  const Cipher cipher(full_name(named), key, {.engine = engine, .num_threads = 1}, {.allow_legacy = true});
  if (direction == Direction::encrypt) {
    cipher.encrypt_batch(batch);
  } else {
    cipher.decrypt_batch(batch);
  }
  for (OneMessage& message : messages) check(named, direction, key, message);
  return 0;
}
