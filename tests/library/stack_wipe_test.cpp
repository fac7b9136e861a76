// No call of the library leaves a key on the stack: neither its bytes, nor round keys, nor what they are made from, in any
// form that a kernel keeps them in. Each call runs on a stack of its own, which is searched when it has returned.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "../kernels/own_stack.hpp"
#include "engine/engines/cpu/kernel.hpp"
#include "reference/reference.hpp"
#include "stack_secrets.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

// Serpent's prekeys, section 4 of the paper.
Buffer serpent_prekeys(Bytes key) {
  std::vector<std::uint32_t> w(8 + 132);
  std::memcpy(w.data(), key.data(), key.size());
  if (key.size() < 32) w[key.size() / 4] = 1;
  for (std::uint32_t i = 0; i < 132; ++i) {
    w[i + 8] = std::rotl(w[i] ^ w[i + 3] ^ w[i + 5] ^ w[i + 7] ^ 0x9e3779b9U ^ i, 11);
  }
  Buffer bytes(4 * w.size());
  std::memcpy(bytes.data(), w.data(), bytes.size());
  return bytes;
}

std::uint8_t* aligned(Buffer& memory) {
  return memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
}

class StackWipe : public OnEveryEngine {
 protected:
  void SetUp() override {
    OnEveryEngine::SetUp();
    if (IsSkipped()) return;
    if (engine() == "cuda") GTEST_SKIP() << "the CPU's engines are tested here";
    if (is_slow()) GTEST_SKIP() << "the emulation is for tests, and keeps all that it computes in memory";
    if (!has_plain_stacks) GTEST_SKIP() << "a sanitizer lays out the stack";
  }

  // A new key, whose every form becomes a secret.
  static Buffer new_key(const CipherSpec& cipher, Random& random, Secrets& secrets) {
    const Buffer key = random.bytes(cipher.key_bytes);
    add_key(cipher, key, secrets);
    return key;
  }
  static void add_key(const CipherSpec& cipher, const Buffer& key, Secrets& secrets) {
    const Kernel& kernel = kernel_of(cipher);
    Buffer kernel_key = key;
    if (cipher.name == std::string("des-ede")) kernel_key.insert(kernel_key.end(), key.begin(), key.begin() + 8);
    Buffer schedule(kernel.schedule_bytes + 64);
    kernel.expand_key(kernel_key.data(), kernel_key.size(), aligned(schedule));
    secrets.add(key);
    secrets.add({aligned(schedule), kernel.schedule_bytes});
    if (cipher.family == CipherFamily::serpent) secrets.add(serpent_prekeys(key));
  }
  // The same of a mode: XTS has two.
  static Buffer new_key(const NamedCipher& named, Random& random, Secrets& secrets) {
    Buffer key = new_key(*named.cipher, random, secrets);
    if (named.mode != Mode::xts) return key;
    const Buffer tweak_key = new_key(*named.cipher, random, secrets);
    key.insert(key.end(), tweak_key.begin(), tweak_key.end());
    return key;
  }

  // make(random, secrets) gives a call, which is to leave none of the secrets. Words meet by chance, but not so many times.
  template <class Make>
  void expect_nothing_left(const std::string& what, const Make& make) {
    std::size_t count = 0;
    for (std::uint64_t seed = 60; seed < 66; ++seed) {
      Random random(seed);
      Secrets secrets;
      const std::function<void()> call = make(random, secrets);
      stack_.run(call);  // binds the symbols of shared libraries, which saves registers on the stack
      stack_.run(call);
      count = secrets.count_in(stack_.remains());
      if (count == 0) return;
    }
    ADD_FAILURE() << what << " leaves " << count << " words of keys on the stack";
  }

 private:
  OwnStack stack_;
};
PHALANX_ON_EVERY_ENGINE(StackWipe);

TEST_P(StackWipe, KeepsNoKeyThatWasSet) {
  for (const CipherSpec& cipher : all_ciphers()) {
    expect_nothing_left(cipher.name, [&](Random& random, Secrets& secrets) {
      const Buffer key = new_key(cipher, random, secrets);
      return [=, name = std::string(cipher.name) + "-ecb"] { const Cipher set(name, key, options(1), with_legacy); };
    });
  }
}

TEST_P(StackWipe, KeepsNoKeyOfAMessage) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    const std::size_t lanes = lanes_of(*named.cipher);
    for (const std::size_t num_blocks :
         {std::size_t{1}, std::size_t{3}, std::size_t{6}, lanes / 2 + 2, lanes - 2 + lanes % 2, 2 * lanes + 3}) {
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        const std::string what = full_name(named) + (direction == Direction::encrypt ? " encrypting " : " decrypting ") +
                                 std::to_string(num_blocks) + " blocks";
        expect_nothing_left(what, [&](Random& random, Secrets& secrets) {
          const Buffer key = new_key(named, random, secrets);
          const auto cipher = std::make_shared<const Cipher>(full_name(named), key, options(1), with_legacy);
          const auto data = std::make_shared<Buffer>(random.bytes(num_blocks * named.cipher->block_bytes));
          return [=, iv = random.bytes(iv_bytes(named))] {
            if (direction == Direction::encrypt) {
              cipher->encrypt(iv, *data, *data);
            } else {
              cipher->decrypt(iv, *data, *data);
            }
          };
        });
      }
    }
  }
}

// Messages with a key each, a few of them long enough to be crypted as ranges.
struct KeyedBatch {
  std::vector<Buffer> keys;
  Buffer iv;
  std::vector<Buffer> data;
  std::vector<Message> messages;
  std::vector<Cipher> ciphers;  // of each message, where the keys are to be ready
};

// What there is of kinds of batches: each way, with keys in the call and with keys that are ready.
struct BatchKind {
  Direction direction;
  bool ready;
};

TEST_P(StackWipe, KeepsNoKeyOfABatch) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    for (const BatchKind& kind : {BatchKind{Direction::encrypt, false}, BatchKind{Direction::decrypt, false},
                                  BatchKind{Direction::encrypt, true}, BatchKind{Direction::decrypt, true}}) {
      const auto direction = kind.direction;
      const bool ready = kind.ready;
      const std::string what = full_name(named) + (direction == Direction::encrypt ? " encryption" : " decryption") +
                               (ready ? " with keys ready" : "");
      expect_nothing_left(what, [&](Random& random, Secrets& secrets) {
        const auto batch = std::make_shared<KeyedBatch>();
        const std::size_t lanes = lanes_of(*named.cipher);
        batch->iv = random.bytes(iv_bytes(named));
        for (std::size_t i = 0; i < lanes + 3; ++i) {
          batch->keys.push_back(new_key(named, random, secrets));
          batch->data.push_back(random.bytes((i % 16 == 5 ? lanes + 1 : 5) * named.cipher->block_bytes));
        }
        for (std::size_t i = 0; i < batch->keys.size(); ++i) {
          batch->messages.push_back({batch->iv, batch->data[i], batch->data[i], ready ? Bytes() : batch->keys[i]});
          if (ready) batch->ciphers.emplace_back(full_name(named), batch->keys[i], options(1), with_legacy);
        }
        for (std::size_t i = 0; i < batch->ciphers.size(); ++i) batch->messages[i].cipher = &batch->ciphers[i];
        const auto cipher = std::make_shared<const Cipher>(full_name(named), batch->keys[0], options(1), with_legacy);
        return [=] {
          if (direction == Direction::encrypt) {
            cipher->encrypt_batch(batch->messages);
          } else {
            cipher->decrypt_batch(batch->messages);
          }
        };
      });
    }
  }
}

TEST_P(StackWipe, KeepsNoHashKey) {
  for (const CipherSpec& cipher : all_ciphers()) {
    if (!is_mode_of(cipher, Mode::gcm)) continue;
    for (const std::size_t size : {std::size_t{0}, std::size_t{50}, 16 * (2 * lanes_of(cipher) + 3) + 5}) {
      expect_nothing_left(
          std::string(cipher.name) + "-gcm of " + std::to_string(size), [&](Random& random, Secrets& secrets) {
            const std::string name = std::string(cipher.name) + "-gcm";
            const Buffer key = new_key(cipher, random, secrets);
            const Buffer hash_subkey = crypt(Cipher(std::string(cipher.name) + "-ecb", key, options(1), with_legacy),
                                             Direction::encrypt, {}, Buffer(16));
            const GhashKernel& hash = *instruction_set().ghash;
            Buffer hash_key(hash.key_bytes + 64);
            hash.expand_key(hash_subkey.data(), aligned(hash_key));
            secrets.add(hash_subkey);
            secrets.add({aligned(hash_key), hash.key_bytes});
            const auto data = std::make_shared<Buffer>(random.bytes(size));
            return [=, nonce = random.bytes(12), tag = std::make_shared<Buffer>(16)] {
              const Aead gcm(name, key, options(1), with_any_nonce);
              gcm.seal(nonce, nonce, *data, *data, *tag);
              gcm.open(nonce, nonce, *data, *data, *tag);
            };
          });
    }
  }
}

// Neither the input key, L and K1, nor the key of a message, in any form; of messages alone, in batches and with own keys.
TEST_P(StackWipe, KeepsNoKeyOfXaes) {
  const CipherSpec& aes = *find_cipher("aes-256");
  for (const std::size_t num_messages : {1, 5}) {
    for (const bool own_key : {false, true}) {
      const std::string what = "xaes-256-gcm of " + std::to_string(num_messages) + (own_key ? " with own keys" : "");
      expect_nothing_left(what, [&](Random& random, Secrets& secrets) {
        const Buffer key = new_key(aes, random, secrets), nonce = random.bytes(24);
        const reference::XaesDerivation derived = reference::derive_xaes(key, nonce);
        add_key(aes, Buffer(derived.Kx.begin(), derived.Kx.end()), secrets);
        secrets.add(derived.L);
        secrets.add(derived.K1);
        reference::GcmBlock hash_subkey{};
        reference::make_cipher("aes-256", derived.Kx)->encrypt_block(hash_subkey.data(), hash_subkey.data());
        secrets.add(hash_subkey);
        const auto data = std::make_shared<Buffer>(random.bytes(num_messages * 50));
        return [=, tags = std::make_shared<Buffer>(16 * num_messages)] {
          const Aead xaes("xaes-256-gcm", key, options(1), with_any_nonce);
          std::vector<MessageToSeal> to_seal;
          std::vector<MessageToOpen> to_open;
          for (std::size_t i = 0; i < num_messages; ++i) {
            const MutableBytes text = MutableBytes(*data).subspan(50 * i, 50), tag = MutableBytes(*tags).subspan(16 * i, 16);
            to_seal.push_back({nonce, nonce, text, text, tag, own_key ? Bytes(key) : Bytes()});
            to_open.push_back({nonce, nonce, text, text, tag, own_key ? Bytes(key) : Bytes()});
          }
          xaes.seal_batch(to_seal);
          static_cast<void>(xaes.open_batch(to_open));
        };
      });
    }
  }
}

}  // namespace
}  // namespace phalanx::test
