// The reference against every published vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/reference.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

using reference::crypt;

const std::vector<KnownAnswer>& vectors() {
  static const std::vector<KnownAnswer> all = load_vectors();
  return all;
}

std::string cipher_without_mode(const std::string& full_name) { return full_name.substr(0, full_name.rfind('-')); }
std::string mode_of(const std::string& full_name) { return full_name.substr(full_name.rfind('-') + 1); }

void check_gcm(const KnownAnswer& answer) {
  const auto cipher = reference::make_cipher(cipher_without_mode(answer.cipher), answer.key);
  // The tag of every length is the beginning of the one of 16 bytes (SP 800-38D section 7.1, step 6).
  if (!answer.tag_is_wrong) {
    ByteVector expected = answer.ciphertext;
    expected.insert(expected.end(), answer.tag.begin(), answer.tag.end());
    ByteVector sealed = gcm_seal(*cipher, answer.iv, answer.aad, answer.plaintext);
    const ByteVector whole = sealed;
    sealed.resize(expected.size());
    EXPECT_EQ(to_hex(sealed), to_hex(expected));
    const auto opened = gcm_open(*cipher, answer.iv, answer.aad, whole);
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(to_hex(*opened), to_hex(answer.plaintext));
    return;
  }
  // Sealing what the ciphertext decrypts to gives back the ciphertext and the right tag: the published one must differ.
  ByteVector forged = answer.ciphertext;
  forged.insert(forged.end(), answer.tag.begin(), answer.tag.end());
  if (answer.tag.size() == reference::gcm_tag_bytes) {
    EXPECT_FALSE(gcm_open(*cipher, answer.iv, answer.aad, forged).has_value());
  }
  ByteVector decrypted = gcm_seal(*cipher, answer.iv, answer.aad, answer.ciphertext);
  decrypted.resize(answer.ciphertext.size());
  ByteVector sealed = gcm_seal(*cipher, answer.iv, answer.aad, decrypted);
  sealed.resize(forged.size());
  EXPECT_NE(to_hex(sealed), to_hex(forged));
}

void check_xaes(const KnownAnswer& answer) {
  ByteVector sealed = answer.ciphertext;
  sealed.insert(sealed.end(), answer.tag.begin(), answer.tag.end());
  EXPECT_EQ(to_hex(reference::xaes_seal(answer.key, answer.iv, answer.aad, answer.plaintext)), to_hex(sealed));
  const auto opened = reference::xaes_open(answer.key, answer.iv, answer.aad, sealed);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(to_hex(*opened), to_hex(answer.plaintext));
  sealed.back() ^= 1;
  EXPECT_FALSE(reference::xaes_open(answer.key, answer.iv, answer.aad, sealed).has_value());
}

void check(const KnownAnswer& answer) {
  SCOPED_TRACE(answer.where + " " + answer.cipher);
  if (answer.cipher == "xaes-256-gcm") return check_xaes(answer);
  if (mode_of(answer.cipher) == "gcm") return check_gcm(answer);
  EXPECT_EQ(to_hex(crypt(answer.cipher, Direction::encrypt, answer.key, answer.iv, answer.plaintext)),
            to_hex(answer.ciphertext));
  EXPECT_EQ(to_hex(crypt(answer.cipher, Direction::decrypt, answer.key, answer.iv, answer.ciphertext)),
            to_hex(answer.plaintext));
}

class PublishedVectors : public testing::TestWithParam<std::string> {};

TEST_P(PublishedVectors, HoldForTheReference) {
  int num_checked = 0;
  for (const KnownAnswer& answer : vectors()) {
    if (answer.cipher != GetParam()) continue;
    check(answer);
    ++num_checked;
  }
  EXPECT_GT(num_checked, 0);
}

std::set<std::string> names_in_vectors() {
  std::set<std::string> names;
  for (const KnownAnswer& answer : vectors()) names.insert(answer.cipher);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, PublishedVectors, testing::ValuesIn(names_in_vectors()), test_name);

// What was published, so that a lost file is noticed: all of these, and nothing else. Nobody published double DES.
TEST(PublishedVectorFiles, CoverWhatTheyShould) {
  const std::set<std::string> expected = {
      "des-ecb",         "des-cbc",         "des-cfb",         "des-ofb",         "des-ctr",         "des-ede-ecb",
      "des-ede-cbc",     "des-ede-cfb",     "des-ede-ofb",     "des-ede3-ecb",    "des-ede3-cbc",    "des-ede3-cfb",
      "des-ede3-ofb",    "des-ede3-ctr",    "aes-128-ecb",     "aes-192-ecb",     "aes-256-ecb",     "aes-128-cbc",
      "aes-192-cbc",     "aes-256-cbc",     "aes-128-cfb",     "aes-192-cfb",     "aes-256-cfb",     "aes-128-ofb",
      "aes-192-ofb",     "aes-256-ofb",     "aes-128-ctr",     "aes-192-ctr",     "aes-256-ctr",     "aes-128-xts",
      "aes-256-xts",     "aes-128-gcm",     "aes-192-gcm",     "aes-256-gcm",     "serpent-128-ecb", "serpent-192-ecb",
      "serpent-256-ecb", "serpent-256-ctr", "serpent-256-xts", "twofish-128-ecb", "twofish-192-ecb", "twofish-256-ecb",
      "twofish-256-xts", "xaes-256-gcm"};
  EXPECT_EQ(names_in_vectors(), expected);
  EXPECT_GT(vectors().size(), 6000u);
}

}  // namespace
}  // namespace phalanx::test
