// PlaintextRelease::wiped_on_failure on every engine: the same plaintext, zeros after a failure, and never in place.
#include <gtest/gtest.h>

#include <algorithm>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr PlaintextRelease wiped = PlaintextRelease::wiped_on_failure;

template <class Run>
void expect_usage(const Run& run) {
  try {
    run();
    ADD_FAILURE() << "opened in place, in one pass";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    EXPECT_NE(std::string(error.what()).find("in one pass"), std::string::npos) << error.what();
  }
}

class Released : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(Released);

TEST_P(Released, OneMessageOfEveryLength) {
  Random random(71);
  for (const char* name : {"aes-128-gcm", "aes-256-gcm", "serpent-256-gcm", "twofish-256-gcm", "xaes-256-gcm"}) {
    const std::size_t nonce_bytes = cipher_facts(name).iv_bytes;
    const Aead aead(name, random.bytes(cipher_facts(name).key_bytes), options());
    std::vector<std::size_t> sizes = {0, 1, 15, 16, 17, 47, 48, 49, 239, 240, 241, 255, 256, 257, 1000, 4096, 65536, 100003};
    for (const std::size_t size : sizes) {
      const Buffer nonce = random.bytes(nonce_bytes), header = random.bytes(size % 40), plain = random.bytes(size);
      Buffer text(size), tag(16), out(size, 0xa5);
      aead.seal(nonce, header, plain, text, tag);
      aead.open(nonce, header, text, out, tag, wiped);
      ASSERT_EQ(out, plain) << name << " of " << size;

      const Buffer sealed = text;
      tag[size % 16] ^= 4;
      std::ranges::fill(out, std::uint8_t{0xa5});
      EXPECT_THROW(aead.open(nonce, header, text, out, tag, wiped), Error);
      EXPECT_EQ(out, Buffer(size)) << name << " of " << size;
      EXPECT_EQ(text, sealed);
      if (size == 0) continue;
      tag[size % 16] ^= 4;
      text[size / 2] ^= 1;
      std::ranges::fill(out, std::uint8_t{0xa5});
      EXPECT_THROW(aead.open(nonce, header, text, out, tag, wiped), Error);
      EXPECT_EQ(out, Buffer(size)) << name << " of " << size;
    }
  }
}

TEST_P(Released, NotInPlace) {
  Random random(72);
  for (const char* name : {"aes-256-gcm", "xaes-256-gcm"}) {
    const Aead aead(name, random.bytes(32), options());
    const Buffer nonce = random.bytes(cipher_facts(name).iv_bytes), plain = random.bytes(100);
    Buffer text(100), tag(16);
    aead.seal(nonce, {}, plain, text, tag);
    const Buffer sealed = text;
    expect_usage([&] { aead.open(nonce, {}, text, text, tag, wiped); });
    std::vector<MessageToOpen> batch = {{nonce, {}, text, text, tag, {}}};
    expect_usage([&] { static_cast<void>(aead.open_batch(batch, wiped)); });
    EXPECT_EQ(text, sealed) << "the ciphertext is there still";
    aead.open(nonce, {}, text, text, tag);
    EXPECT_EQ(text, plain);
    Buffer empty_tag(16);
    aead.seal(nonce, {}, {}, {}, empty_tag);
    aead.open(nonce, {}, {}, {}, empty_tag, wiped);
  }
}

TEST_P(Released, BatchesWipeWhatIsForgedAlone) {
  Random random(73);
  const Aead aead("aes-256-gcm", random.bytes(32), options(2));
  constexpr std::size_t num_messages = 40;
  std::vector<Buffer> nonces, plains, texts, tags(num_messages, Buffer(16)), outs;
  for (std::size_t i = 0; i < num_messages; ++i) {
    nonces.push_back(random.bytes(12));
    plains.push_back(random.bytes(random.below(i % 10 == 9 ? 9000 : 300)));
    texts.emplace_back(plains[i].size());
    aead.seal(nonces[i], {}, plains[i], texts[i], tags[i]);
    outs.emplace_back(plains[i].size(), 0xa5);
  }
  tags[7][0] ^= 1;
  tags[39][15] ^= 1;
  std::vector<MessageToOpen> batch;
  for (std::size_t i = 0; i < num_messages; ++i) batch.push_back({nonces[i], {}, texts[i], outs[i], tags[i], {}});
  EXPECT_FALSE(aead.open_batch(batch, wiped));
  for (std::size_t i = 0; i < num_messages; ++i) {
    const bool is_forged = i == 7 || i == 39;
    EXPECT_EQ(batch[i].is_authentic, !is_forged);
    EXPECT_EQ(outs[i], is_forged ? Buffer(outs[i].size()) : plains[i]) << i;
  }
}

TEST_P(Released, MessagesWithTheirNonces) {
  Random random(74);
  const Aead aead("xaes-256-gcm", random.bytes(32), options());
  const Buffer plain = random.bytes(5000);
  Buffer sealed(plain.size() + Aead::nonce_and_tag_bytes), out(plain.size(), 0xa5);
  aead.seal_with_new_nonce({}, plain, sealed);
  aead.open_with_leading_nonce({}, sealed, out, wiped);
  EXPECT_EQ(out, plain);
  expect_usage([&] { aead.open_with_leading_nonce({}, sealed, MutableBytes(sealed).subspan(24, plain.size()), wiped); });
  sealed.back() ^= 1;
  std::vector<MessageToOpenWithLeadingNonce> batch = {{{}, sealed, out}};
  EXPECT_FALSE(aead.open_with_leading_nonce_batch(batch, wiped));
  EXPECT_EQ(out, Buffer(out.size()));
}

}  // namespace
}  // namespace phalanx::test
