// Batches whose messages differ wildly in length, lie anywhere, and are few or very many: against the reference, and against
// the same engine's ranges where the reference would take too long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

enum class Keys { one, each, mixed };
constexpr Direction both[] = {Direction::encrypt, Direction::decrypt};
constexpr Keys all_keys[] = {Keys::one, Keys::each, Keys::mixed};

class WildBatch : public OnEveryEngine {
 protected:
  // A batch in one stretch of memory: each message at any byte, in place or with the output elsewhere.
  struct Batch {
    std::vector<Buffer> keys, ivs;
    Buffer memory, before;
    std::vector<std::size_t> in, out, size;

    std::vector<Message> messages() {
      std::vector<Message> list;
      for (std::size_t i = 0; i < size.size(); ++i) {
        list.push_back(
            {ivs[i], Bytes(memory).subspan(in[i], size[i]), MutableBytes(memory).subspan(out[i], size[i]), keys[i]});
      }
      return list;
    }
  };

  // As many lengths of few blocks as of many, up to 2^most_bits blocks.
  static std::size_t wild_blocks(Random& random, unsigned most_bits) {
    return random.below((std::size_t{1} << random.below(most_bits + 1)) + 1);
  }

  static Batch make(const NamedCipher& named, Keys keys, std::size_t num_messages, unsigned most_bits, Random& random) {
    Batch batch;
    std::size_t end = 0;
    const auto place = [&](std::size_t size) {
      const std::size_t start = end + random.below(9);
      end = start + size;
      return start;
    };
    for (std::size_t i = 0; i < num_messages; ++i) {
      const bool own = keys == Keys::each || (keys == Keys::mixed && random.below(2) == 0);
      batch.keys.push_back(own ? random.bytes(key_bytes(named)) : Buffer{});
      batch.ivs.push_back(random.bytes(iv_bytes(named)));
      if (random.below(9) == 0 && i != 0) {  // the same message and key twice
        batch.keys.back() = batch.keys[i - 1];
        batch.ivs.back() = batch.ivs[i - 1];
      }
      std::size_t size = wild_blocks(random, most_bits) * named.cipher->block_bytes;
      if (!takes_whole_blocks(named.mode)) size += random.below(named.cipher->block_bytes);
      if (named.mode == Mode::xts) size += 16;
      batch.size.push_back(size);
      batch.in.push_back(place(size));
      batch.out.push_back(random.below(2) == 0 ? batch.in.back() : place(size));
    }
    batch.memory = random.bytes(end);
    batch.before = batch.memory;
    return batch;
  }

  // Crypts and compares each message with `expected(i)`, and all other bytes with what they were.
  template <class Expected>
  static void check(const NamedCipher& named, Direction direction, const Buffer& common_key, Batch& batch, int num_threads,
                    const Expected& expected) {
    const Cipher cipher(full_name(named), common_key, options(num_threads), with_legacy);
    const std::vector<Message> messages = batch.messages();
    direction == Direction::encrypt ? cipher.encrypt_batch(messages) : cipher.decrypt_batch(messages);
    Buffer want = batch.before;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Buffer text = expected(i);
      std::copy(text.begin(), text.end(), want.begin() + static_cast<std::ptrdiff_t>(batch.out[i]));
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_TRUE(std::equal(messages[i].out.begin(), messages[i].out.end(),
                             want.begin() + static_cast<std::ptrdiff_t>(batch.out[i])))
          << full_name(named) << ", message " << i << " of " << messages.size() << ", " << batch.size[i] << " bytes";
    }
    ASSERT_EQ(batch.memory, want) << full_name(named) << ": wrote outside of the messages";
  }

  static void check_by_reference(const NamedCipher& named, Direction direction, Keys keys, std::size_t num_messages,
                                 unsigned most_bits, int num_threads, std::uint64_t seed) {
    Random random(seed);
    const Buffer common_key = random.bytes(key_bytes(named));
    Batch batch = make(named, keys, num_messages, most_bits, random);
    check(named, direction, common_key, batch, num_threads, [&](std::size_t i) {
      return reference::crypt(full_name(named), direction, batch.keys[i].empty() ? common_key : batch.keys[i], batch.ivs[i],
                              Bytes(batch.before).subspan(batch.in[i], batch.size[i]));
    });
  }
};
PHALANX_ON_EVERY_ENGINE(WildBatch);

TEST_P(WildBatch, EveryCipherAndMode) {
  std::uint64_t seed = 10;
  for (const NamedCipher& named : all_names_but_gcm()) {
    for (const Direction direction : both) {
      for (const Keys keys : all_keys) check_by_reference(named, direction, keys, 40, 5, 1, ++seed);
    }
  }
}

TEST_P(WildBatch, MoreMessagesThanLanes) {
  std::uint64_t seed = 200;
  for (const char* name : {"des-ede-cbc", "2des-cfb", "des-ofb", "aes-192-cbc", "aes-256-ofb", "serpent-256-cbc",
                           "twofish-192-cfb", "aes-128-xts", "serpent-128-xts", "des-ede3-ctr"}) {
    const NamedCipher named = parse_cipher_name(name);
    const std::size_t num_messages = std::min<std::size_t>(2 * lanes_of(*named.cipher) + 7, is_slow() ? 300 : 1100);
    for (const Direction direction : both) {
      for (const Keys keys : all_keys)
        check_by_reference(named, direction, keys, num_messages, is_slow() ? 3 : 4, 1, ++seed);
    }
  }
}

TEST_P(WildBatch, OverManyThreads) {
  std::uint64_t seed = 400;
  for (const char* name : {"des-cbc", "aes-128-cbc", "aes-256-ctr", "serpent-192-cfb", "twofish-256-ctr"}) {
    for (const int num_threads : {2, 3, 5}) {
      for (const Keys keys : all_keys) {
        const Direction direction = both[seed++ % 2];
        check_by_reference(parse_cipher_name(name), direction, keys, is_slow() ? 200 : 900, 4, num_threads, seed);
      }
    }
  }
}

// Messages from a byte to many groups, where the last ones to end are alone.
TEST_P(WildBatch, FromBytesToManyGroups) {
  std::uint64_t seed = 600;
  for (const char* name : {"aes-256-cbc", "aes-128-ctr", "serpent-256-ofb", "twofish-128-xts", "des-cfb"}) {
    for (const Direction direction : both) {
      for (const Keys keys : all_keys) {
        check_by_reference(parse_cipher_name(name), direction, keys, 12, is_slow() ? 8 : 10, 1, ++seed);
      }
    }
  }
}

// More than the library takes at once (2^16), one or two blocks each.
TEST_P(WildBatch, VeryManyShortMessages) {
  const std::size_t num_messages = is_slow() ? 66000 : 140000;
  for (const char* name : {"des-cbc", "aes-256-ctr", "twofish-256-cfb"}) {
    const NamedCipher named = parse_cipher_name(name);
    if (is_slow() && named.cipher->family == CipherFamily::twofish) continue;
    Random random(800);
    const Buffer key = random.bytes(key_bytes(named));
    Batch batch = make(named, Keys::one, num_messages, 1, random);
    const Cipher single(name, key, {.engine = "cpu:scalar", .num_threads = 1}, {.allow_legacy = true});
    check(named, Direction::encrypt, key, batch, 0, [&](std::size_t i) {
      return crypt(single, Direction::encrypt, batch.ivs[i], Bytes(batch.before).subspan(batch.in[i], batch.size[i]));
    });
  }
}

// The chaining state that a message leaves is where its next part goes on: two batches in a row are one message each.
TEST_P(WildBatch, StreamsGoOnWhereTheyEnded) {
  Random random(900);
  for (const NamedCipher& named : all_names_but_gcm()) {
    const std::size_t block_bytes = named.cipher->block_bytes;
    const Buffer key = random.bytes(named.cipher->key_bytes);
    const auto keyed = find_engine(engine()).set_key(*named.cipher, key, 1);
    for (const Direction direction : both) {
      for (const bool own_keys : {false, true}) {
        const std::size_t num_messages = 30;
        std::vector<Buffer> keys(num_messages), ins, outs, ivs, wants;
        std::vector<BlockMessage> first, second;
        for (std::size_t i = 0; i < num_messages; ++i) {
          if (own_keys) keys[i] = random.bytes(key.size());
          const std::size_t num_blocks = wild_blocks(random, 5);
          const std::size_t before = random.below(num_blocks + 1);
          ins.push_back(random.bytes(num_blocks * block_bytes));
          ivs.push_back(random.bytes(16));
          outs.emplace_back(ins[i].size());
          Buffer iv = ivs[i];
          Buffer want(ins[i].size());
          const auto alone = find_engine(engine()).set_key(*named.cipher, own_keys ? Bytes(keys[i]) : Bytes(key), 1);
          alone->crypt_range(named.mode, direction, iv.data(), ins[i].data(), want.data(), num_blocks);
          want.insert(want.end(), iv.begin(), iv.begin() + static_cast<std::ptrdiff_t>(block_bytes));
          wants.push_back(want);
          const std::size_t at = before * block_bytes;
          first.push_back({keys[i], ivs[i].data(), ins[i].data(), outs[i].data(), before});
          second.push_back({keys[i], ivs[i].data(), ins[i].data() + at, outs[i].data() + at, num_blocks - before});
        }
        keyed->crypt_batch(named.mode, direction, first);
        keyed->crypt_batch(named.mode, direction, second);
        for (std::size_t i = 0; i < num_messages; ++i) {
          Buffer got = outs[i];
          got.insert(got.end(), ivs[i].begin(), ivs[i].begin() + static_cast<std::ptrdiff_t>(block_bytes));
          ASSERT_EQ(got, wants[i]) << full_name(named) << ", message " << i << ", own keys: " << own_keys;
        }
      }
    }
  }
}

}  // namespace
}  // namespace phalanx::test
