// XAES-256-GCM on every engine: against the reference, the accumulated tests of its specification, batches, threads, and
// what does not fit.
#include "engine/library/xaes.hpp"

#include <gtest/gtest.h>

#include "../kernels/own_stack.hpp"
#include "accumulated_cases.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"
#include "vector_file.hpp"

namespace phalanx::test {
namespace {

struct Sealed {
  Buffer text, tag;
};

Sealed seal(const Aead& cipher, Bytes nonce, Bytes associated_data, Bytes in) {
  Sealed sealed{Buffer(in.size()), Buffer(16)};
  cipher.seal(nonce, associated_data, in, sealed.text, sealed.tag);
  return sealed;
}

Buffer joined(const Buffer& text, const Buffer& tag) {
  Buffer both = text;
  both.insert(both.end(), tag.begin(), tag.end());
  return both;
}

// By the reference's derivation and the scalar engine's AES-256-GCM.
Sealed expected(Bytes key, Bytes nonce, Bytes associated_data, Bytes in) {
  const reference::XaesDerivation derived = reference::derive_xaes(key, nonce);
  return seal(Aead("aes-256-gcm", derived.Kx, {.engine = "cpu:scalar", .num_threads = 1}), derived.Nx, associated_data, in);
}

class Xaes : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(Xaes);

TEST_P(Xaes, IsTheReferencesAtEveryLength) {
  Random random(80);
  const std::size_t group = 16 * lanes_of(*find_cipher("aes-256"));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
                                 std::size_t{128}, group - 1, group, group + 1, 2 * group, 3 * group + 5}) {
    const Buffer key = random.bytes(32), nonce = random.bytes(24), in = random.bytes(size);
    const Buffer associated_data = random.bytes(size % 3 == 0 ? 0 : random.below(70));
    const Aead cipher("XAES-256-gcm", key, options(), with_any_nonce);
    const Sealed sealed = seal(cipher, nonce, associated_data, in);
    ASSERT_EQ(joined(sealed.text, sealed.tag), reference::xaes_seal(key, nonce, associated_data, in)) << size;
    Buffer in_place = in, tag(16);
    cipher.seal(nonce, associated_data, in_place, in_place, tag);
    ASSERT_EQ(in_place, sealed.text) << size;
    ASSERT_EQ(tag, sealed.tag) << size;
    cipher.open(nonce, associated_data, in_place, in_place, tag);
    ASSERT_EQ(in_place, in) << size;
  }
}

// Each message is sealed by an Aead of its own, and opened.
TEST_P(Xaes, AccumulatesAsPublished) {
  if (is_slow()) GTEST_SKIP() << "the emulation takes too long for so many";
  const Record record = load_records(vectors_folder() / "accumulated/xaes_256_gcm.txt").at(0);
  const std::size_t iterations = std::stoul(record.text("iterations"));
  AccumulatedCases cases(iterations);
  AccumulatedHash hash;
  for (std::size_t i = 0; i < iterations; ++i) {
    const AccumulatedCase given = cases.next();
    const Aead cipher("xaes-256-gcm", given.key, options(1), with_any_nonce);
    const Sealed sealed = seal(cipher, given.nonce, given.aad, given.plaintext);
    hash.add(sealed.text);
    hash.add(sealed.tag);
    Buffer opened(given.plaintext.size());
    cipher.open(given.nonce, given.aad, sealed.text, opened, sealed.tag);
    ASSERT_TRUE(std::ranges::equal(opened, given.plaintext)) << i;
  }
  EXPECT_EQ(to_hex(hash.finish()), record.text("hash"));
}

// In batches whose messages have a key each.
TEST(XaesBatches, AccumulateAsPublished) {
  if (!has_plain_stacks) GTEST_SKIP() << "a sanitizer takes too long for so many";
  const Record record = load_records(vectors_folder() / "accumulated/xaes_256_gcm.txt").at(1);
  const std::size_t iterations = std::stoul(record.text("iterations"));
  constexpr std::size_t at_once = 1000;
  ASSERT_EQ(iterations % at_once, 0U);
  AccumulatedCases cases(iterations);
  AccumulatedHash hash;
  const Aead cipher("xaes-256-gcm", Buffer(32));
  Buffer texts(at_once * (255 + 16));
  for (std::size_t i = 0; i < iterations; i += at_once) {
    std::vector<MessageToSeal> messages;
    std::size_t place = 0;
    for (std::size_t j = 0; j < at_once; ++j) {
      const AccumulatedCase given = cases.next();
      const std::size_t size = given.plaintext.size();
      const MutableBytes out = MutableBytes(texts).subspan(place, size + 16);
      messages.push_back({given.nonce, given.aad, given.plaintext, out.first(size), out.last(16), given.key});
      place += out.size();
    }
    cipher.seal_batch(messages);
    hash.add(Bytes(texts).first(place));
  }
  EXPECT_EQ(to_hex(hash.finish()), record.text("hash"));
}

TEST_P(Xaes, AnyChangeIsFoundAndNothingIsWritten) {
  Random random(81);
  const Buffer key = random.bytes(32), nonce = random.bytes(24), associated_data = random.bytes(21), in = random.bytes(77);
  const Sealed sealed = seal(Aead("xaes-256-gcm", key, options(), with_any_nonce), nonce, associated_data, in);
  const auto opens = [&](const Buffer& k, const Buffer& n, const Buffer& a, const Buffer& text, const Buffer& tag) {
    Buffer out(text.size(), 0xa5);
    try {
      Aead("xaes-256-gcm", k, options(), with_any_nonce).open(n, a, text, out, tag);
      EXPECT_EQ(out, in);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::authentication);
      EXPECT_EQ(out, Buffer(text.size(), 0xa5)) << "unverified plaintext was written";
      return false;
    }
  };
  const auto changed = [](Buffer bytes, std::size_t byte) {
    bytes[byte] ^= 1;
    return bytes;
  };
  ASSERT_TRUE(opens(key, nonce, associated_data, sealed.text, sealed.tag));
  for (std::size_t i = 0; i < 24; ++i) EXPECT_FALSE(opens(key, changed(nonce, i), associated_data, sealed.text, sealed.tag));
  for (std::size_t i = 0; i < 32; i += 5)
    EXPECT_FALSE(opens(changed(key, i), nonce, associated_data, sealed.text, sealed.tag));
  for (std::size_t i = 0; i < 16; i += 5)
    EXPECT_FALSE(opens(key, nonce, associated_data, sealed.text, changed(sealed.tag, i)));
  EXPECT_FALSE(opens(key, nonce, associated_data, changed(sealed.text, 76), sealed.tag));
  EXPECT_FALSE(opens(key, nonce, changed(associated_data, 20), sealed.text, sealed.tag));
  EXPECT_FALSE(opens(key, nonce, {}, sealed.text, sealed.tag));
}

struct Batch {
  std::vector<Buffer> keys, nonces, associated, texts, tags;

  Batch(Random& random, std::size_t num_messages, std::size_t keyed_each, std::size_t long_bytes) {
    for (std::size_t i = 0; i < num_messages; ++i) {
      keys.push_back(keyed_each != 0 && i % keyed_each == 0 ? random.bytes(32) : Buffer());
      nonces.push_back(random.bytes(24));
      associated.push_back(random.bytes(i % 37));
      texts.push_back(random.bytes(i % 97 == 40 ? long_bytes : random.below(i % 10 == 9 ? 9000 : 100)));
      tags.emplace_back(16);
    }
  }
  [[nodiscard]] std::vector<MessageToSeal> to_seal() {
    std::vector<MessageToSeal> messages;
    for (std::size_t i = 0; i < keys.size(); ++i)
      messages.push_back({nonces[i], associated[i], texts[i], texts[i], tags[i], keys[i]});
    return messages;
  }
  [[nodiscard]] std::vector<MessageToOpen> to_open(std::vector<Buffer>& outs) const {
    std::vector<MessageToOpen> messages;
    for (std::size_t i = 0; i < keys.size(); ++i)
      messages.push_back({nonces[i], associated[i], outs[i], outs[i], tags[i], keys[i]});
    return messages;
  }
};

// Of many lengths, one of which is for all threads, without keys of their own, with some, and with a key each.
TEST_P(Xaes, BatchesAreTheMessagesOneByOne) {
  Random random(82);
  const Buffer key = random.bytes(32);
  const Aead aead("xaes-256-gcm", key, options(3), with_any_nonce);
  for (const std::size_t keyed_each : {0, 3, 1}) {
    Batch batch(random, 150, keyed_each, is_slow() ? 5000 : (std::size_t{1} << 20) + 9);
    const std::vector<Buffer> plain = batch.texts;
    aead.seal_batch(batch.to_seal());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const Sealed alone =
          expected(batch.keys[i].empty() ? key : batch.keys[i], batch.nonces[i], batch.associated[i], plain[i]);
      ASSERT_EQ(batch.texts[i], alone.text) << "message " << i;
      ASSERT_EQ(batch.tags[i], alone.tag) << "message " << i;
    }
    for (const std::size_t forged : {std::size_t{3}, std::size_t{40}, plain.size()}) {
      std::vector<Buffer> outs = batch.texts;  // in place
      if (forged != plain.size()) batch.tags[forged][15] ^= 1;
      auto messages = batch.to_open(outs);
      EXPECT_EQ(aead.open_batch(messages), forged == plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(messages[i].is_authentic, i != forged);
        ASSERT_EQ(outs[i], i == forged ? batch.texts[i] : plain[i]) << "message " << i;
      }
      if (forged != plain.size()) batch.tags[forged][15] ^= 1;
    }
  }
}

TEST_P(Xaes, LongMessagesOnAnyNumberOfThreads) {
  Random random(83);
  const Buffer key = random.bytes(32), nonce = random.bytes(24);
  const Buffer in = random.bytes((is_slow() ? std::size_t{64} << 10 : std::size_t{2} << 20) + 13);
  const Sealed alone = expected(key, nonce, nonce, in);
  for (const int num_threads : {1, 2, 5}) {
    const Aead cipher("xaes-256-gcm", key, options(num_threads));
    Buffer buffer = in, tag(16);
    cipher.seal(nonce, nonce, buffer, buffer, tag);
    ASSERT_EQ(tag, alone.tag) << num_threads << " threads";
    ASSERT_EQ(buffer, alone.text);
    cipher.open(nonce, nonce, buffer, buffer, tag);
    ASSERT_EQ(buffer, in);
  }
}

template <class Call>
void expect_usage(const char* word, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no error, which should say " << word;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(XaesArguments, HaveOneSizeEach) {
  Buffer data(16, 0x11), tag(16);
  const Aead cipher("xaes-256-gcm", Buffer(32));
  EXPECT_EQ(cipher.facts().name, "xaes-256-gcm");
  EXPECT_EQ(cipher.facts().iv_bytes, 24U);
  for (const std::size_t size : {0, 1, 12, 23, 25, 32}) {
    expect_usage("nonce", [&] { cipher.seal(Buffer(size), {}, data, data, tag); });
    expect_usage("nonce", [&] { cipher.open(Buffer(size), {}, data, data, tag); });
  }
  const Buffer nonce(24), short_nonce(12);
  const MessageToSeal batch[] = {{nonce, {}, data, data, tag, {}}, {short_nonce, {}, {}, {}, tag, {}}};
  expect_usage("nonce", [&] { cipher.seal_batch(batch); });
  EXPECT_EQ(data, Buffer(16, 0x11)) << "a batch is checked before any message is sealed";
  expect_usage("tags of 16 bytes", [] { Aead("xaes-256-gcm", Buffer(32), {}, {.tag_bytes = 12}); });
  expect_usage("key of xaes-256-gcm is 32 bytes", [] { Aead("xaes-256-gcm", Buffer(16)); });
  expect_usage("Aead", [] { Cipher("xaes-256-gcm", Buffer(32)); });
  expect_usage("unknown", [] { Aead("xaes-128-gcm", Buffer(16)); });
}

}  // namespace
}  // namespace phalanx::test
