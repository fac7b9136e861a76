// The whole published suite (tests/vectors) on every engine.
#include <gtest/gtest.h>

#include "engine/library/keyed_mode.hpp"
#include "tested_engines.hpp"
#include "vector_file.hpp"

namespace phalanx::test {
namespace {

using VectorAnswer = test::KnownAnswer;

class PublishedVectors : public OnEveryEngine {
 protected:
  // IEEE 1619's first vector has a key of equal halves, which users can only decrypt under.
  static Buffer encrypted(const Cipher& cipher, const VectorAnswer& answer) {
    if (cipher.facts().mode != "xts" || !has_equal_halves(answer.key))
      return crypt(cipher, Direction::encrypt, answer.iv, answer.plaintext);
    Buffer out(answer.plaintext.size());
    EXPECT_THROW(cipher.encrypt(answer.iv, answer.plaintext, out), Error);
    KeyedMode::state_of(cipher).crypt_part(Direction::encrypt, answer.iv, 0, answer.plaintext, out);
    return out;
  }
  static void check_authenticated(const VectorAnswer& answer) {
    const Aead sealer(answer.cipher, answer.key, options(), with_any_nonce);
    const Aead cipher(answer.cipher, answer.key, options(), {.tag_bytes = answer.tag.size(), .any_nonce_size = true});
    if (!answer.tag_is_wrong) {
      Buffer ciphertext(answer.plaintext.size());
      Buffer tag(16);
      sealer.seal(answer.iv, answer.aad, answer.plaintext, ciphertext, tag);
      tag.resize(answer.tag.size());  // a shorter one is what a longer one begins with (SP 800-38D, section 7.1)
      EXPECT_EQ(to_hex(ciphertext), to_hex(answer.ciphertext)) << answer.where;
      EXPECT_EQ(to_hex(tag), to_hex(answer.tag)) << answer.where;
    }
    Buffer plaintext(answer.ciphertext.size(), 0x5a);
    const Buffer untouched = plaintext;
    try {
      cipher.open(answer.iv, answer.aad, answer.ciphertext, plaintext, answer.tag);
      EXPECT_FALSE(answer.tag_is_wrong) << answer.where << ": a wrong tag was taken";
      EXPECT_EQ(to_hex(plaintext), to_hex(answer.plaintext)) << answer.where;
    } catch (const Error& error) {
      EXPECT_TRUE(answer.tag_is_wrong) << answer.where << ": " << error.what();
      EXPECT_EQ(plaintext, untouched) << answer.where << ": plaintext was written";
    }
  }
};
PHALANX_ON_EVERY_ENGINE(PublishedVectors);

TEST_P(PublishedVectors, AllPass) {
  std::size_t count = 0;
  for (const VectorAnswer& answer : load_vectors()) {
    if (answer.cipher.ends_with("gcm")) {
      check_authenticated(answer);
    } else {
      const Cipher cipher(answer.cipher, answer.key, options(), with_legacy);
      EXPECT_EQ(to_hex(encrypted(cipher, answer)), to_hex(answer.ciphertext)) << answer.where;
      EXPECT_EQ(to_hex(crypt(cipher, Direction::decrypt, answer.iv, answer.ciphertext)), to_hex(answer.plaintext))
          << answer.where;
    }
    ++count;
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  RecordProperty("vectors", std::to_string(count));
  EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace phalanx::test
