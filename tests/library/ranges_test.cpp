// The keystone: however a message is cut, over however many threads, the bytes are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/chaining.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

struct Whole {
  std::string name;
  Buffer key, iv, plaintext, ciphertext;

  Whole(const NamedCipher& named, std::size_t size, std::uint64_t seed) : name(full_name(named)) {
    Random random(seed);
    key = random.bytes(key_bytes(named));
    iv = random.bytes(iv_bytes(named));
    plaintext = random.bytes(size);
    ciphertext = reference::crypt(name, Direction::encrypt, key, iv, plaintext);
  }
  [[nodiscard]] const Buffer& in(Direction direction) const {
    return direction == Direction::encrypt ? plaintext : ciphertext;
  }
  [[nodiscard]] const Buffer& out(Direction direction) const {
    return direction == Direction::encrypt ? ciphertext : plaintext;
  }
};

// Sizes that sum to `size`: multiples of `unit`, but for the last; some empty, most small, some large.
std::vector<std::size_t> random_cut(Random& random, std::size_t size, std::size_t unit) {
  std::vector<std::size_t> sizes;
  while (size > unit) {
    const std::size_t most = random.below(3) == 0 ? size / unit : std::min<std::size_t>(size / unit, 9);
    sizes.push_back(random.below(most + 1) * unit);
    size -= sizes.back();
  }
  sizes.push_back(size);
  return sizes;
}

class Ranges : public OnEveryEngine {
 protected:
  static std::size_t message_size(const NamedCipher& named) {
    const std::size_t block = named.cipher->block_bytes;
    return (2 * lanes_of(*named.cipher) + 7) * block + (takes_whole_blocks(named.mode) ? 0 : 3);
  }
};
PHALANX_ON_EVERY_ENGINE(Ranges);

constexpr Direction both[] = {Direction::encrypt, Direction::decrypt};

TEST_P(Ranges, GoOnWithTheReturnedIv) {
  Random random(10);
  for (const NamedCipher& named : all_names_but_gcm()) {
    if (named.mode == Mode::xts) continue;  // a data unit has no iv to go on with
    const Whole whole(named, message_size(named), 11);
    const Cipher cipher(whole.name, whole.key, options(), with_legacy);
    for (const Direction direction : both) {
      Buffer buffer = whole.in(direction);
      Buffer iv = whole.iv;
      MutableBytes rest = buffer;
      for (const std::size_t size : random_cut(random, buffer.size(), named.cipher->block_bytes)) {
        const MutableBytes part = rest.first(size);
        const ChainValue next =
            direction == Direction::encrypt ? cipher.encrypt(iv, part, part) : cipher.decrypt(iv, part, part);
        rest = rest.subspan(size);
        if (size % named.cipher->block_bytes == 0) {
          ASSERT_EQ(next.size, cipher.facts().iv_bytes);
          iv.assign(next.bytes.begin(), next.bytes.begin() + static_cast<std::ptrdiff_t>(next.size));
        } else {
          ASSERT_EQ(next.size, 0U) << "nothing goes on after a short block";
        }
      }
      ASSERT_EQ(buffer, whole.out(direction)) << whole.name;
    }
  }
}

// Crypts the parts in random order, out of place.
Buffer crypt_parts(const Cipher& cipher, Direction direction, const Whole& whole, bool chained,
                   const std::vector<std::size_t>& sizes, Random& random) {
  std::vector<std::size_t> order(sizes.size());
  std::vector<std::size_t> offsets(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    order[i] = i;
    if (i != 0) offsets[i] = offsets[i - 1] + sizes[i - 1];
  }
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Buffer out(whole.plaintext.size());
  for (const std::size_t i : order) {
    const Bytes in = Bytes(whole.in(direction)).subspan(offsets[i], sizes[i]);
    const MutableBytes place = MutableBytes(out).subspan(offsets[i], sizes[i]);
    const std::size_t iv_size = whole.iv.size();
    const Bytes iv =
        chained && offsets[i] != 0 ? Bytes(whole.ciphertext).subspan(offsets[i] - iv_size, iv_size) : Bytes(whole.iv);
    if (direction == Direction::encrypt) {
      cipher.encrypt_part(iv, offsets[i], in, place);
    } else {
      cipher.decrypt_part(iv, offsets[i], in, place);
    }
  }
  return out;
}

TEST_P(Ranges, PartsComeInAnyOrder) {
  Random random(12);
  for (const NamedCipher& named : all_names_but_gcm()) {
    const Whole whole(named, message_size(named), 13);
    const Cipher cipher(whole.name, whole.key, options(), with_legacy);
    const bool chained = named.mode == Mode::cbc || named.mode == Mode::cfb;
    for (const Direction direction : both) {
      if (!is_divisible(named.mode, direction)) continue;
      const std::size_t unit = named.mode == Mode::ctr ? 1 : named.cipher->block_bytes;
      std::vector<std::size_t> sizes = random_cut(random, whole.plaintext.size(), unit);
      if (named.mode == Mode::xts) {  // the last part holds a whole block at least
        while (sizes.back() < 16) {
          const std::size_t last = sizes.back();
          sizes.pop_back();
          sizes.back() += last;
        }
      }
      ASSERT_EQ(crypt_parts(cipher, direction, whole, chained, sizes, random), whole.out(direction)) << whole.name;
    }
  }
}

TEST_P(Ranges, CounterPartsStartAtAnyByte) {
  for (const char* name : {"des-ctr", "aes-128-ctr"}) {
    const Whole whole(parse_cipher_name(name), 100, 14);
    const Cipher cipher(name, whole.key, options(), with_legacy);
    for (std::size_t offset = 0; offset < 40; ++offset) {
      for (std::size_t size = 0; size < 40; ++size) {
        Buffer part(whole.plaintext.begin() + static_cast<std::ptrdiff_t>(offset),
                    whole.plaintext.begin() + static_cast<std::ptrdiff_t>(offset + size));
        cipher.encrypt_part(whole.iv, offset, part, part);
        ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.ciphertext.begin() + static_cast<std::ptrdiff_t>(offset)))
            << name << " at " << offset << ", " << size << " bytes";
      }
    }
  }
}

// Messages that the threads share, with a last piece that is neither a piece nor a group of lanes.
TEST_P(Ranges, AnyNumberOfThreads) {
  const std::size_t size = std::size_t{is_slow() ? 130U : 300U} << 10;
  for (const char* cipher_name : {"des", "aes-256", "serpent-128", "twofish-192"}) {
    if (is_slow() && std::string_view(cipher_name) == "serpent-128") continue;
    for (const char* mode : {"-ecb", "-cbc", "-ctr", "-cfb", "-ofb", "-xts"}) {
      const CipherSpec& spec = *find_cipher(cipher_name);
      if (spec.block_bytes == 8 && std::string_view(mode) == "-xts") continue;
      const NamedCipher named = parse_cipher_name(std::string(cipher_name) + mode);
      const Whole whole(named, size + 5 * spec.block_bytes + (takes_whole_blocks(named.mode) ? 0 : 1), 15);
      ChainValue next[2];
      for (const int num_threads : {1, 2, 5}) {
        const Cipher cipher(whole.name, whole.key, options(num_threads), with_legacy);
        Buffer buffer = whole.plaintext;
        cipher.encrypt(whole.iv, buffer, buffer);  // in place: pieces must not see each other's output
        ASSERT_EQ(buffer, whole.ciphertext) << whole.name << " on " << num_threads << " threads";
        cipher.decrypt(whole.iv, buffer, buffer);
        ASSERT_EQ(buffer, whole.plaintext) << whole.name << " on " << num_threads << " threads";
        if (named.mode == Mode::xts) continue;
        const std::size_t blocks = buffer.size() / spec.block_bytes * spec.block_bytes;
        const ChainValue after = cipher.decrypt(whole.iv, Bytes(buffer).first(blocks), MutableBytes(buffer).first(blocks));
        if (num_threads == 1) next[0] = after;
        ASSERT_EQ(after.bytes, next[0].bytes) << whole.name << " goes on differently on " << num_threads << " threads";
      }
    }
  }
}

// A keyed cipher is immutable: threads share it, also while the engine's own threads work for each.
TEST_P(Ranges, OneCipherForManyThreads) {
  const NamedCipher named = parse_cipher_name("aes-192-cbc");
  const Whole whole(named, std::size_t{200} << 10, 16);
  const Cipher cipher(whole.name, whole.key, options(2), with_legacy);
  std::vector<Buffer> buffers(4, whole.ciphertext);
  std::vector<std::thread> threads;
  for (Buffer& buffer : buffers) threads.emplace_back([&] { cipher.decrypt(whole.iv, buffer, buffer); });
  for (std::thread& thread : threads) thread.join();
  for (const Buffer& buffer : buffers) EXPECT_TRUE(buffer == whole.plaintext);
}

}  // namespace
}  // namespace phalanx::test
