// Batches: the whole blocks of all messages at once, then what is left of each: a short last block, or XTS's stealing.
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// Enough for the lanes of many threads; what is kept for so many fits the cache.
constexpr std::size_t messages_at_once = std::size_t{1} << 16;

// Crypts up to most_messages messages at once.
class MessageBatch {
 public:
  MessageBatch(const KeyedMode& keyed, Direction direction, std::size_t most_messages)
      : keyed_(keyed), direction_(direction), chains_(most_messages * 16) {
    whole_messages_.reserve(most_messages);
  }

  void crypt(std::span<const Message> messages) {
    messages_ = messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!messages[i].iv.empty()) std::memcpy(chain_of(i), messages[i].iv.data(), messages[i].iv.size());
    }
    if (keyed_.mode() == Mode::xts) encrypt_tweaks();
    crypt_whole_blocks();
    if (keyed_.mode() == Mode::xts) {
      steal_ciphertext();
    } else if (keyed_.mode() != Mode::ecb && keyed_.mode() != Mode::cbc) {
      crypt_short_last_blocks();
    }
  }

 private:
  std::uint8_t* chain_of(std::size_t message) { return chains_.data() + message * 16; }

  // One of the keys of the message's Cipher, if it has one.
  static const KeyedCipher* prepared_key_of(const Message& message, std::unique_ptr<KeyedCipher> KeyedMode::*key) {
    return message.cipher == nullptr ? nullptr : (KeyedMode::state_of(*message.cipher).*key).get();
  }
  // Makes the whole blocks of a message, under the message's data key.
  [[nodiscard]] BlockMessage whole_message(const Message& message, std::uint8_t* chain, const std::uint8_t* in,
                                           std::uint8_t* out, std::size_t num_blocks) const {
    const Bytes key = message.key.empty() ? Bytes{} : message.key.first(keyed_.named.cipher->key_bytes);
    return {key, chain, in, out, num_blocks, prepared_key_of(message, &KeyedMode::data_key)};
  }
  [[nodiscard]] std::size_t rest_of(const Message& message) const {
    return message.in.size() & (keyed_.block_bytes() - 1);  // which is a power of two
  }

  // Whole blocks, less the one that takes part in stealing.
  [[nodiscard]] std::size_t plain_blocks_of(const Message& message) const {
    const std::size_t num_blocks = message.in.size() / keyed_.block_bytes();
    return keyed_.mode() == Mode::xts && rest_of(message) != 0 ? num_blocks - 1 : num_blocks;
  }

  void encrypt_tweaks() {
    whole_messages_.clear();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& m = messages_[i];
      const Bytes tweak_key = m.key.empty() ? Bytes{} : m.key.subspan(keyed_.named.cipher->key_bytes);
      whole_messages_.push_back(
          {tweak_key, nullptr, chain_of(i), chain_of(i), 1, prepared_key_of(m, &KeyedMode::tweak_key)});
    }
    keyed_.tweak_key->crypt_batch(Mode::ecb, Direction::encrypt, whole_messages_);
  }

  void crypt_whole_blocks() {
    whole_messages_.clear();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& m = messages_[i];
      whole_messages_.push_back(whole_message(m, chain_of(i), m.in.data(), m.out.data(), plain_blocks_of(m)));
    }
    keyed_.data_key->crypt_batch(keyed_.mode(), direction_, whole_messages_);
  }

  // CTR, CFB, OFB: the key stream of the next block is the encrypted chaining state.
  void crypt_short_last_blocks() {
    whole_messages_.clear();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (rest_of(messages_[i]) != 0)
        whole_messages_.push_back(whole_message(messages_[i], nullptr, chain_of(i), chain_of(i), 1));
    }
    if (whole_messages_.empty()) return;
    keyed_.data_key->crypt_batch(Mode::ecb, Direction::encrypt, whole_messages_);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& m = messages_[i];
      if (rest_of(m) == 0) continue;
      const std::size_t whole = m.in.size() - rest_of(m);
      xor_bytes(m.out.data() + whole, m.in.data() + whole, chain_of(i), rest_of(m));
    }
  }

  // As crypt_data_unit (engine/engines/data_unit.hpp), for all messages that need it.
  void steal_ciphertext() {
    std::vector<std::size_t> stolen;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (rest_of(messages_[i]) != 0) stolen.push_back(i);
    }
    if (stolen.empty()) return;
    const std::size_t count = stolen.size();
    SecretBytes tweaks(2 * count * 16);  // T(m-1) of each, then T(m) of each
    SecretBytes first(count * 16);
    SecretBytes second(count * 16);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(tweaks.data() + i * 16, chain_of(stolen[i]), 16);
      std::memcpy(tweaks.data() + (count + i) * 16, chain_of(stolen[i]), 16);
      multiply_tweak(tweaks.data() + (count + i) * 16, power_of_alpha(1));
    }
    const bool encrypts = direction_ == Direction::encrypt;
    crypt_stolen(stolen, tweaks.data() + (encrypts ? 0 : count * 16), nullptr, first.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Message& m = messages_[stolen[i]];
      std::memcpy(second.data() + i * 16, m.in.data() + m.in.size() - rest_of(m), rest_of(m));
      std::memcpy(second.data() + i * 16 + rest_of(m), first.data() + i * 16 + rest_of(m), 16 - rest_of(m));
    }
    crypt_stolen(stolen, tweaks.data() + (encrypts ? count * 16 : 0), second.data(), nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      const Message& m = messages_[stolen[i]];
      std::memcpy(m.out.data() + m.out.size() - rest_of(m), first.data() + i * 16, rest_of(m));
    }
  }

  // Crypts a block of each of these messages. Where `blocks` or `crypted` is null, it is the message's last whole block.
  void crypt_stolen(const std::vector<std::size_t>& stolen, std::uint8_t* tweaks, const std::uint8_t* blocks,
                    std::uint8_t* crypted) {
    whole_messages_.clear();
    for (std::size_t i = 0; i < stolen.size(); ++i) {
      const Message& m = messages_[stolen[i]];
      const std::size_t place = plain_blocks_of(m) * 16;
      whole_messages_.push_back(whole_message(m, tweaks + i * 16, blocks == nullptr ? m.in.data() + place : blocks + i * 16,
                                              crypted == nullptr ? m.out.data() + place : crypted + i * 16, 1));
    }
    keyed_.data_key->crypt_batch(Mode::xts, direction_, whole_messages_);
  }

  const KeyedMode& keyed_;
  Direction direction_;
  std::span<const Message> messages_;
  SecretBytes chains_;  // the chaining state of each message, 16 bytes apart
  std::vector<BlockMessage> whole_messages_;
};

}  // namespace

const KeyedMode& KeyedMode::state_of(const Cipher& cipher) { return phalanx::state_of(cipher.state_, moved_cipher); }
const KeyedMode& KeyedMode::state_of(const SectorCipher& cipher) { return phalanx::state_of(cipher.state_, moved_cipher); }

void KeyedMode::crypt_batch(Direction direction, std::span<const Message> messages) const {
  if (direction == Direction::encrypt) refuse_legacy();
  for (const Message& message : messages) {
    if (!message.key.empty()) check_key(facts, message.key);
    if (message.cipher != nullptr) check_cipher(message);
    check_message(direction, message.iv, message.in, message.out);
    if (direction == Direction::encrypt) refuse_to_encrypt_message(message);
  }
  if (messages.empty()) return;
  MessageBatch batch(*this, direction, std::min(messages.size(), messages_at_once));
  for (std::size_t done = 0; done < messages.size(); done += messages_at_once) {
    batch.crypt(messages.subspan(done, std::min(messages.size() - done, messages_at_once)));
  }
}

}  // namespace phalanx
