// GCM on every engine: against the reference, nonces of any length, the 32-bit counter's wrap, tags that do not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/library/names/cipher_name.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

const char* const gcm_names[] = {"aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "serpent-256-gcm", "twofish-256-gcm"};

struct Sealed {
  Buffer text, tag;
};

Sealed seal(const Aead& cipher, Bytes nonce, Bytes associated_data, Bytes in) {
  Sealed sealed{Buffer(in.size()), Buffer(16)};
  cipher.seal(nonce, associated_data, in, sealed.text, sealed.tag);
  return sealed;
}

class Gcm : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(Gcm);

TEST_P(Gcm, IsTheReferencesAtEveryLength) {
  Random random(20);
  for (const char* name : gcm_names) {
    const std::size_t group = 16 * lanes_of(*parse_cipher_name(name).cipher);
    const Buffer key = random.bytes(key_bytes(parse_cipher_name(name)));
    const Aead cipher(name, key, options(), with_any_nonce);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
                                   std::size_t{128}, group - 1, group, group + 1, 2 * group - 1, 2 * group, 3 * group + 5}) {
      for (const std::size_t nonce_size : {1, 8, 12, 16, 33}) {
        const Buffer nonce = random.bytes(nonce_size);
        const Buffer in = random.bytes(size);
        const Sealed sealed = seal(cipher, nonce, {}, in);
        Buffer both = sealed.text;
        both.insert(both.end(), sealed.tag.begin(), sealed.tag.end());
        ASSERT_EQ(both, reference::crypt(name, Direction::encrypt, key, nonce, in)) << name << " of " << size;
        Buffer opened(size);
        cipher.open(nonce, {}, sealed.text, opened, sealed.tag);
        ASSERT_EQ(opened, in) << name << " of " << size;
      }
    }
  }
}

// Engines put a message together in two ways: each gives what the scalar one gives, for every length of text, associated
// data and tag, in place and not.
TEST_P(Gcm, AgreesWithTheScalarEngineAtEveryLength) {
  Random random(26);
  for (const char* name : {"aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "serpent-256-gcm"}) {
    const std::size_t group = 16 * lanes_of(*parse_cipher_name(name).cipher);
    const Buffer key = random.bytes(key_bytes(parse_cipher_name(name)));
    const std::size_t step = engine() == "cuda" ? 97 : is_slow() ? 7 : 1;  // a GPU takes as long for any of these
    for (std::size_t size = 0; size <= 3 * group + 40; size += size < 100 ? 1 : step) {
      const std::size_t tag_bytes = 12 + size % 5;
      const Aead cipher(name, key, options(1), with_any_nonce), opener(name, key, options(1), {.tag_bytes = tag_bytes});
      const Aead scalar(name, key, {.engine = "cpu:scalar", .num_threads = 1});
      const Buffer nonce = random.bytes(12), associated_data = random.bytes(size % 3 == 0 ? 0 : random.below(70));
      const Buffer in = random.bytes(size);
      Buffer text(size), expected(size), tag(16), expected_tag(16), in_place = in;
      scalar.seal(nonce, associated_data, in, expected, expected_tag);
      cipher.seal(nonce, associated_data, in, text, tag);
      ASSERT_EQ(text, expected) << name << " of " << size;
      ASSERT_EQ(tag, expected_tag) << name << " of " << size;
      cipher.seal(nonce, associated_data, in_place, in_place, tag);
      ASSERT_EQ(in_place, expected) << name << " of " << size << " in place";
      ASSERT_EQ(tag, expected_tag) << name << " of " << size << " in place";
      opener.open(nonce, associated_data, in_place, in_place, Bytes(tag).first(tag_bytes));
      ASSERT_EQ(in_place, in) << name << " of " << size << " in place";
    }
  }
}

// Pieces of GHASH on several threads, and more than one stretch of CTR and GHASH.
TEST_P(Gcm, LongMessagesOnAnyNumberOfThreads) {
  Random random(21);
  const std::size_t size = (is_slow() ? std::size_t{200} << 10 : std::size_t{9} << 20) + 13;
  const Buffer key = random.bytes(16);
  const Buffer nonce = random.bytes(12);
  const Buffer associated_data = random.bytes((std::size_t{160} << 10) + 3);
  const Buffer in = random.bytes(size);
  const Sealed expected = seal(Aead("aes-128-gcm", key, {"cpu:scalar", 1}), nonce, associated_data, in);
  for (const int num_threads : {1, 2, 5}) {
    const Aead cipher("aes-128-gcm", key, options(num_threads));
    Buffer buffer = in;
    Buffer tag(16);
    cipher.seal(nonce, associated_data, buffer, buffer, tag);
    ASSERT_EQ(tag, expected.tag) << num_threads << " threads";
    ASSERT_EQ(buffer, expected.text);
    cipher.open(nonce, associated_data, buffer, buffer, tag);
    ASSERT_EQ(buffer, in);
  }
  const Buffer start(in.begin(), in.begin() + (std::ptrdiff_t{150} << 10));  // and the scalar engine is the reference's
  const Sealed sealed = seal(Aead("aes-128-gcm", key, options(2), with_any_nonce), nonce, {}, start);
  Buffer both = sealed.text;
  both.insert(both.end(), sealed.tag.begin(), sealed.tag.end());
  ASSERT_EQ(both, reference::crypt("aes-128-gcm", Direction::encrypt, key, nonce, start));
}

TEST_P(Gcm, AnyChangeIsFoundAndNothingIsWritten) {
  Random random(22);
  const Buffer key = random.bytes(32);
  const Aead cipher("serpent-256-gcm", key, options(), with_any_nonce);
  const Buffer nonce = random.bytes(12);
  const Buffer associated_data = random.bytes(21);
  const Buffer in = random.bytes(77);
  const Sealed sealed = seal(cipher, nonce, associated_data, in);
  const auto opens = [&](const Buffer& n, const Buffer& a, const Buffer& text, const Buffer& tag) {
    Buffer out(text.size(), 0xa5);
    try {
      cipher.open(n, a, text, out, tag);
      EXPECT_EQ(out, in);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::authentication);
      EXPECT_EQ(out, Buffer(text.size(), 0xa5)) << "unverified plaintext was written";
      return false;
    }
  };
  const auto changed = [](Buffer bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << bit % 8));
    return bytes;
  };
  ASSERT_TRUE(opens(nonce, associated_data, sealed.text, sealed.tag));
  for (std::size_t bit = 0; bit < 128; ++bit)
    EXPECT_FALSE(opens(nonce, associated_data, sealed.text, changed(sealed.tag, bit)));
  for (std::size_t bit = 0; bit < 8 * in.size(); bit += 7) {
    EXPECT_FALSE(opens(nonce, associated_data, changed(sealed.text, bit), sealed.tag));
  }
  EXPECT_FALSE(opens(changed(nonce, 5), associated_data, sealed.text, sealed.tag));
  EXPECT_FALSE(opens(nonce, changed(associated_data, 160), sealed.text, sealed.tag));
  EXPECT_FALSE(opens(nonce, {}, sealed.text, sealed.tag));
  for (std::size_t size = 12; size <= 16; ++size) {  // truncated tags
    const Buffer tag(sealed.tag.begin(), sealed.tag.begin() + static_cast<std::ptrdiff_t>(size));
    const Aead truncated("serpent-256-gcm", key, options(), {.tag_bytes = size, .any_nonce_size = true});
    EXPECT_EQ(truncated.tag_bytes(), size);
    Buffer out(in.size(), 0xa5);
    truncated.open(nonce, associated_data, sealed.text, out, tag);
    EXPECT_EQ(out, in);
    EXPECT_THROW(truncated.open(nonce, associated_data, sealed.text, out, changed(tag, 8 * size - 1)), Error);
  }
}

// Of many lengths, with nonces, associated data, tags and every third time a key of their own.
TEST_P(Gcm, BatchesAreTheMessagesOneByOne) {
  Random random(24);
  const EngineOptions scalar{.engine = "cpu:scalar", .num_threads = 1};
  for (const char* name : {"aes-256-gcm", "twofish-128-gcm"}) {
    const std::size_t key_size = cipher_facts(name).key_bytes;
    const Buffer key = random.bytes(key_size);
    const Aead aead(name, key, options(3), with_any_nonce);
    constexpr std::size_t num_messages = 70;
    std::vector<Buffer> keys, nonces, associated, texts, tags(num_messages, Buffer(16));
    for (std::size_t i = 0; i < num_messages; ++i) {
      keys.push_back(i % 3 == 0 ? random.bytes(key_size) : Buffer());
      nonces.push_back(random.bytes(i % 5 == 0 ? 1 + i : 12));
      associated.push_back(random.bytes(i % 37));
      texts.push_back(random.bytes(random.below(i % 10 == 9 ? 9000 : 100)));
    }
    const std::vector<Buffer> plain = texts;
    std::vector<MessageToSeal> to_seal;
    for (std::size_t i = 0; i < num_messages; ++i) {
      to_seal.push_back({nonces[i], associated[i], texts[i], texts[i], tags[i], keys[i]});
    }
    aead.seal_batch(to_seal);
    for (std::size_t i = 0; i < num_messages; ++i) {
      const Sealed alone =
          seal(Aead(name, keys[i].empty() ? key : keys[i], scalar, with_any_nonce), nonces[i], associated[i], plain[i]);
      ASSERT_EQ(texts[i], alone.text) << name << ", message " << i;
      ASSERT_EQ(tags[i], alone.tag) << name << ", message " << i;
    }
    for (const std::size_t forged : {std::size_t{3}, std::size_t{4}, std::size_t{5}, num_messages}) {
      std::vector<Buffer> outs = texts;  // in place
      if (forged != num_messages) tags[forged][15] ^= 1;
      std::vector<MessageToOpen> to_open;
      for (std::size_t i = 0; i < num_messages; ++i) {
        to_open.push_back({nonces[i], associated[i], outs[i], outs[i], tags[i], keys[i]});
      }
      EXPECT_EQ(aead.open_batch(to_open), forged == num_messages);
      for (std::size_t i = 0; i < num_messages; ++i) {
        ASSERT_EQ(to_open[i].is_authentic, i != forged);
        ASSERT_EQ(outs[i], i == forged ? texts[i] : plain[i]) << name << ", message " << i;
      }
      if (forged != num_messages) tags[forged][15] ^= 1;
    }
  }
}

using FieldBlock = reference::GcmBlock;

// x^(2^128 - 2)
FieldBlock inverse(FieldBlock x) {
  FieldBlock result{0x80};
  for (int i = 1; i < 128; ++i) {
    x = reference::gf128_multiply(x, x);
    result = reference::gf128_multiply(result, x);
  }
  return result;
}

// The 16-byte nonce whose first counter block is `counter`: ((nonce * H) ^ length) * H, backwards.
FieldBlock nonce_of_counter(const FieldBlock& counter, const FieldBlock& hash_subkey) {
  const FieldBlock inverse_key = inverse(hash_subkey);
  FieldBlock hash = reference::gf128_multiply(counter, inverse_key);
  hash[15] ^= 128;  // the nonce's length in bits
  return reference::gf128_multiply(hash, inverse_key);
}

TEST_P(Gcm, TheCounterWrapsAt32Bits) {
  Random random(23);
  for (const char* name : {"aes-256-gcm", "twofish-256-gcm"}) {
    const Buffer key = random.bytes(32);
    const std::string block_cipher(name, std::strlen(name) - 4);
    FieldBlock hash_subkey{};
    reference::make_cipher(block_cipher, key)->encrypt_block(hash_subkey.data(), hash_subkey.data());
    const FieldBlock counter{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb};
    const FieldBlock nonce = nonce_of_counter(counter, hash_subkey);
    const Buffer in = random.bytes(16 * (lanes_of(*find_cipher(block_cipher)) + 9) + 2);
    const Aead cipher(name, key, options(), with_any_nonce);
    const Sealed sealed = seal(cipher, nonce, {}, in);
    // Block 4 has the counter ff..ff 00000000: the twelve bytes above do not change.
    FieldBlock wrapped = counter;
    std::fill(wrapped.begin() + 12, wrapped.end(), std::uint8_t{0});
    Buffer keystream(16);
    reference::make_cipher(block_cipher, key)->encrypt_block(wrapped.data(), keystream.data());
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(sealed.text[64 + i], in[64 + i] ^ keystream[i]) << name;
    Buffer both = sealed.text;
    both.insert(both.end(), sealed.tag.begin(), sealed.tag.end());
    ASSERT_EQ(both, reference::crypt(name, Direction::encrypt, key, nonce, in)) << name;
    Buffer opened(in.size());
    cipher.open(nonce, {}, sealed.text, opened, sealed.tag);
    ASSERT_EQ(opened, in);
  }
}

}  // namespace
}  // namespace phalanx::test
