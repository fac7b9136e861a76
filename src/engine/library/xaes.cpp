#include "engine/library/xaes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/bytes/double_block.hpp"
#include "engine/bytes/xor_bytes.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_bytes = 16, derived_key_bytes = 32, half_nonce_bytes = 12;

// The blocks that are encrypted here are keys, and a kernel may leave its output on the stack.
constexpr std::size_t crypt_stack_bytes = 8192;

// Messages whose keys are derived together.
constexpr std::size_t most_at_once = 64;

// From so many bytes on, a message is worth more than what an engine takes to be ready for its key.
constexpr std::size_t least_long_bytes = std::size_t{1} << 20;

// A batch that takes less than some tens of microseconds stays on the caller's thread. A key takes as long to set as
// some kilobytes to crypt.
constexpr std::size_t least_batch_bytes = std::size_t{256} << 10, bytes_worth_a_key = 4096;

const CipherSpec& aes_256() { return *find_cipher("aes-256"); }

// Steps 3 to 5 but for the encryption: M1 ^ K1 and M2 ^ K1, where M is 0x00 || i || 0x58 || 0x00 || N[:12].
void write_cmac_inputs(const std::uint8_t* nonce, const std::uint8_t* K1, std::uint8_t* blocks) {
  for (std::uint8_t i = 1; i <= 2; ++i, blocks += block_bytes) {
    blocks[0] = 0;
    blocks[1] = i;
    blocks[2] = 'X';
    blocks[3] = 0;
    std::memcpy(blocks + 4, nonce, half_nonce_bytes);
    xor_block(blocks, blocks, K1);
  }
}

// The engine takes such a message as it would in AES-256-GCM: by all threads, or on a GPU.
bool is_long(const AeadMessage& message) { return message.num_bytes >= least_long_bytes; }

bool has_key(const AeadMessage& message) { return !message.key.empty(); }

class XaesGcm final : public KeyedAead {
 public:
  XaesGcm(const Engine& engine, Bytes key, int num_threads)
      : engine_(engine),
        num_threads_(num_threads),
        cipher_(engine.set_key(aes_256(), key, 1)),
        subkey_(block_bytes),
        gcm_(engine.set_aead_key({&aes_256(), Mode::gcm}, key, 1)) {
    call_then_wipe_stack<crypt_stack_bytes>([&] {
      cipher_->crypt_range(Mode::ecb, Direction::encrypt, nullptr, subkey_.data(), subkey_.data(), 1);  // step 1
      double_block(subkey_.data());                                                                     // step 2
    });
  }

  void crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const override;
  [[nodiscard]] Bytes key() const override { return cipher_->key(); }

  // AES-256-GCM under the key that is derived for the message.
  [[nodiscard]] std::unique_ptr<KeyedAead> gcm_for(const AeadMessage& message) const;

 private:
  void crypt_short(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const;
  template <std::size_t capacity>
  void crypt_share(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const;
  void crypt_long(Direction direction, AeadMessage& message, Unverified unverified) const;

  [[nodiscard]] int threads_for(std::span<const AeadMessage> messages) const;

  void derive_keys(std::span<const AeadMessage> messages, std::uint8_t* keys) const;
  void derive_from_own_keys(std::span<const AeadMessage> messages, std::uint8_t* keys) const;

  const Engine& engine_;
  int num_threads_;
  std::unique_ptr<KeyedCipher> cipher_;
  SecretBytes subkey_;              // K1
  std::unique_ptr<KeyedAead> gcm_;  // no message is under its key: each brings the one that was derived
};

// Derives the keys Kx of messages, 32 bytes each.
void XaesGcm::derive_keys(std::span<const AeadMessage> messages, std::uint8_t* keys) const {
  call_then_wipe_stack<crypt_stack_bytes>([&] {
    if (std::any_of(messages.begin(), messages.end(), has_key)) return derive_from_own_keys(messages, keys);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      write_cmac_inputs(messages[i].nonce, subkey_.data(), keys + derived_key_bytes * i);
    }
    cipher_->crypt_range(Mode::ecb, Direction::encrypt, nullptr, keys, keys, 2 * messages.size());
  });
}

void XaesGcm::derive_from_own_keys(std::span<const AeadMessage> messages, std::uint8_t* keys) const {
  SecretBytes subkeys(block_bytes * messages.size());
  std::vector<BlockMessage> blocks;
  blocks.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::uint8_t* const L = subkeys.data() + block_bytes * i;
    blocks.push_back({messages[i].key, nullptr, L, L, 1});
  }
  cipher_->crypt_batch(Mode::ecb, Direction::encrypt, blocks);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::uint8_t* const key = keys + derived_key_bytes * i;
    double_block(blocks[i].out);
    write_cmac_inputs(messages[i].nonce, blocks[i].out, key);
    blocks[i] = {messages[i].key, nullptr, key, key, 2};
  }
  cipher_->crypt_batch(Mode::ecb, Direction::encrypt, blocks);
}

AeadMessage under_derived_key(const AeadMessage& message, const std::uint8_t* key) {
  AeadMessage derived = message;
  derived.key = {key, derived_key_bytes};
  derived.nonce = message.nonce + half_nonce_bytes;  // Nx, step 6
  derived.nonce_bytes = half_nonce_bytes;
  return derived;
}

// Crypts up to `capacity` messages, on this thread.
template <std::size_t capacity>
void XaesGcm::crypt_share(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const {
  WipedArray<derived_key_bytes * capacity> keys;
  AeadMessage derived[capacity];
  derive_keys(messages, keys.bytes);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    derived[i] = under_derived_key(messages[i], keys.bytes + derived_key_bytes * i);
  }
  gcm_->crypt(direction, std::span(derived).first(messages.size()), unverified);
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i].is_authentic = derived[i].is_authentic;
}

std::unique_ptr<KeyedAead> XaesGcm::gcm_for(const AeadMessage& message) const {
  WipedArray<derived_key_bytes> key;
  derive_keys({&message, 1}, key.bytes);
  return engine_.set_aead_key({&aes_256(), Mode::gcm}, key.bytes, num_threads_);
}

void XaesGcm::crypt_long(Direction direction, AeadMessage& message, Unverified unverified) const {
  const std::unique_ptr<KeyedAead> gcm = gcm_for(message);
  AeadMessage derived = under_derived_key(message, nullptr);
  derived.key = {};
  gcm->crypt(direction, {&derived, 1}, unverified);
  message.is_authentic = derived.is_authentic;
}

int XaesGcm::threads_for(std::span<const AeadMessage> messages) const {
  std::size_t num_bytes = 0;
  for (const AeadMessage& message : messages) num_bytes += message.num_bytes + bytes_worth_a_key;
  return num_bytes < least_batch_bytes ? 1 : num_threads_;
}

void check_sizes(std::span<const AeadMessage> messages) {
  for (const AeadMessage& message : messages) {
    if (message.nonce_bytes != xaes_nonce_bytes) {
      fail_usage("a nonce of xaes-256-gcm has 24 bytes, and " + text_of(message.nonce_bytes) + " were given");
    }
    if (message.tag_bytes != xaes_tag_bytes) fail_usage("a tag of xaes-256-gcm has 16 bytes");
  }
}

void XaesGcm::crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const {
  check_sizes(messages);
  if (messages.size() == 1 && !is_long(messages[0])) return crypt_share<1>(direction, messages, unverified);
  while (!messages.empty()) {
    const auto end = std::find_if(messages.begin(), messages.end(), is_long);
    const auto num_short = static_cast<std::size_t>(end - messages.begin());
    if (num_short != 0) {
      crypt_short(direction, messages.first(num_short), unverified);
    } else {
      crypt_long(direction, messages[0], unverified);
    }
    messages = messages.subspan(std::max<std::size_t>(num_short, 1));
  }
}

// The threads share the messages.
void XaesGcm::crypt_short(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const {
  const int num_threads = threads_for(messages);
  const std::size_t num_shares = num_threads == 1 ? 1 : 16 * static_cast<std::size_t>(thread_count(num_threads));
  const std::size_t at_once = std::clamp<std::size_t>(messages.size() / num_shares, 1, most_at_once);
  run_parallel(num_threads, (messages.size() + at_once - 1) / at_once, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first * at_once; i < std::min(last * at_once, messages.size()); i += at_once) {
      crypt_share<most_at_once>(direction, messages.subspan(i, std::min(at_once, messages.size() - i)), unverified);
    }
  });
}

}  // namespace

std::unique_ptr<KeyedAead> set_xaes_message_key(const Engine& engine, Bytes key, Bytes nonce, int num_threads) {
  AeadMessage message;
  message.nonce = nonce.data();
  message.nonce_bytes = nonce.size();
  message.tag_bytes = xaes_tag_bytes;
  check_sizes({&message, 1});
  return XaesGcm(engine, key, num_threads).gcm_for(message);
}

std::unique_ptr<KeyedAead> set_xaes_key(const Engine& engine, Bytes key, int num_threads) {
  return std::make_unique<XaesGcm>(engine, key, num_threads);
}

}  // namespace phalanx
