// Batches against the reference: many messages, each with its iv and perhaps its key.
#include <gtest/gtest.h>

#include "engine/library/names/cipher_name.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

// Which messages have a key of their own, or a Cipher whose key is ready.
enum class Keys { one, each, some, ready, any };

struct TestMessage {
  Buffer key, iv, in, out, expected;
};

class Batch : public OnEveryEngine {
 protected:
  static std::size_t random_length(Random& random, const NamedCipher& named, std::size_t most_blocks) {
    const std::size_t block = named.cipher->block_bytes;
    std::size_t length = random.below(most_blocks * block + 1);
    if (random.below(8) == 0) length = 0;
    if (random.below(8) == 0) length = block;
    if (takes_whole_blocks(named.mode)) length -= length % block;
    if (named.mode == Mode::xts) length += block;
    return length;
  }

  static void check(const NamedCipher& named, Direction direction, Keys keys, std::size_t num_messages,
                    std::size_t most_blocks, int num_threads, std::uint64_t seed) {
    Random random(seed);
    const std::string name = full_name(named);
    const Buffer common_key = random.bytes(key_bytes(named));
    std::vector<TestMessage> messages(num_messages);
    std::vector<Message> batch;
    std::vector<std::unique_ptr<const Cipher>> ciphers;
    for (TestMessage& m : messages) {
      const std::uint64_t own = random.below(keys == Keys::any ? 3 : 2);
      if (keys == Keys::each || keys == Keys::ready || (keys != Keys::one && own != 0)) {
        m.key = random.bytes(common_key.size());
      }
      const bool is_ready = keys == Keys::ready || (keys == Keys::any && own == 2);
      if (is_ready) ciphers.push_back(std::make_unique<const Cipher>(name, m.key, options(1), with_legacy));
      m.iv = random.bytes(iv_bytes(named));
      m.in = random.bytes(random_length(random, named, most_blocks));
      m.expected = reference::crypt(name, direction, m.key.empty() ? common_key : m.key, m.iv, m.in);
      const bool in_place = random.below(2) == 0;
      m.out = in_place ? m.in : Buffer(m.in.size());
      batch.push_back({m.iv, in_place ? Bytes(m.out) : Bytes(m.in), m.out, is_ready ? Bytes() : Bytes(m.key),
                       is_ready ? ciphers.back().get() : nullptr});
    }
    const Cipher cipher(name, common_key, options(num_threads), with_legacy);
    if (direction == Direction::encrypt) {
      cipher.encrypt_batch(batch);
    } else {
      cipher.decrypt_batch(batch);
    }
    for (std::size_t i = 0; i < num_messages; ++i) {
      ASSERT_EQ(messages[i].out, messages[i].expected)
          << name << ", message " << i << " of " << num_messages << ", " << messages[i].in.size() << " bytes";
    }
  }
};
PHALANX_ON_EVERY_ENGINE(Batch);

constexpr Direction both[] = {Direction::encrypt, Direction::decrypt};

TEST_P(Batch, EveryCipherAndMode) {
  std::uint64_t seed = 100;
  for (const NamedCipher& named : all_names_but_gcm()) {
    for (const Direction direction : both) {
      for (const Keys keys : {Keys::one, Keys::each, Keys::some, Keys::ready, Keys::any})
        check(named, direction, keys, 37, 20, 1, ++seed);
    }
  }
}

// From none, over fewer than the lanes, to more: lanes take a second message, and stay empty at the end.
TEST_P(Batch, AnyNumberOfMessages) {
  std::uint64_t seed = 1000;
  for (const char* name : {"des-ede3-cbc", "aes-128-cbc", "aes-128-ctr", "des-ctr", "serpent-192-ofb", "twofish-256-xts"}) {
    const NamedCipher named = parse_cipher_name(name);
    const std::size_t lanes = lanes_of(*named.cipher);
    for (const std::size_t num_messages :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, lanes - 1, lanes, lanes + 1, 2 * lanes + 3}) {
      for (const Keys keys : {Keys::one, Keys::each, Keys::ready})
        check(named, Direction::encrypt, keys, num_messages, 4, 1, ++seed);
    }
  }
}

TEST_P(Batch, LongAndShortTogether) {
  std::uint64_t seed = 2000;
  for (const char* name : {"des-cbc", "aes-256-cfb", "aes-128-ecb", "serpent-256-ctr", "twofish-128-cbc"}) {
    const NamedCipher named = parse_cipher_name(name);
    for (const Direction direction : both) {
      for (const Keys keys : {Keys::one, Keys::each, Keys::ready})
        check(named, direction, keys, 9, 3 * lanes_of(*named.cipher), 1, ++seed);
    }
  }
}

TEST_P(Batch, AnyNumberOfThreads) {
  std::uint64_t seed = 3000;
  const std::size_t num_messages = is_slow() ? 600 : 1500;
  for (const char* name : {"des-ede3-cbc", "aes-256-cbc", "aes-256-ctr", "serpent-256-xts", "twofish-256-ofb"}) {
    for (const int num_threads : {1, 2, 5, 0}) {
      for (const Keys keys : {Keys::one, Keys::each, Keys::ready}) {
        for (const Direction direction : both)
          check(parse_cipher_name(name), direction, keys, num_messages, 20, num_threads, ++seed);
      }
    }
  }
}

// The chaining value that a short last block takes must not be the one before a neighbour's last block.
TEST_P(Batch, EveryLengthAroundABlock) {
  for (const char* name : {"des-ctr", "des-cfb", "des-ofb", "aes-192-xts"}) {
    const NamedCipher named = parse_cipher_name(name);
    Random random(4000);
    const Buffer key = random.bytes(key_bytes(named));
    const Buffer iv = random.bytes(iv_bytes(named));
    const Cipher cipher(name, key, options(), with_legacy);
    std::vector<Buffer> outs;
    std::vector<Message> batch;
    const Buffer in = random.bytes(70);
    for (std::size_t length = named.mode == Mode::xts ? 16 : 0; length <= in.size(); ++length) outs.emplace_back(length);
    for (Buffer& out : outs) batch.push_back({iv, Bytes(in).first(out.size()), out, {}});
    cipher.encrypt_batch(batch);
    for (const Buffer& out : outs) {
      ASSERT_EQ(out, reference::crypt(name, Direction::encrypt, key, iv, Bytes(in).first(out.size())))
          << name << " " << out.size();
    }
  }
}

}  // namespace
}  // namespace phalanx::test
