// phalanx.h: the same bytes as phalanx.hpp, and errors as numbers.
#include <gtest/gtest.h>
#include <phalanx/phalanx.h>

#include <cstring>
#include <memory>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

struct Free {
  void operator()(phalanx_cipher* cipher) const { phalanx_cipher_free(cipher); }
};
using CipherHandle = std::unique_ptr<phalanx_cipher, Free>;

CipherHandle new_cipher(const char* name, const Buffer& key) {
  phalanx_cipher* cipher = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&cipher, name, key.data(), key.size(), "cpu:scalar", 1), PHALANX_OK) << phalanx_last_error();
  return CipherHandle(cipher);
}

TEST(CInterface, CryptsAsTheCppInterface) {
  Random random(40);
  const Buffer key = random.bytes(24);
  Buffer iv = random.bytes(8);
  const Buffer in = random.bytes(80);
  const CipherHandle cipher = new_cipher("3DES-cbc", key);
  EXPECT_STREQ(phalanx_cipher_name(cipher.get()), "des-ede3-cbc");
  EXPECT_STREQ(phalanx_cipher_engine(cipher.get()), "cpu:scalar");
  EXPECT_EQ(phalanx_key_bytes(cipher.get()), 24U);
  EXPECT_EQ(phalanx_block_bytes(cipher.get()), 8U);
  EXPECT_EQ(phalanx_iv_bytes(cipher.get()), 8U);
  const Buffer expected = crypt(Cipher("des-ede3-cbc", key), Direction::encrypt, iv, in);
  Buffer chain = iv;
  Buffer out(80);
  ASSERT_EQ(phalanx_encrypt(cipher.get(), chain.data(), in.data(), out.data(), 32, chain.data()), PHALANX_OK);
  ASSERT_EQ(phalanx_encrypt(cipher.get(), chain.data(), in.data() + 32, out.data() + 32, 48, nullptr), PHALANX_OK);
  EXPECT_EQ(out, expected);
  Buffer part(40);
  ASSERT_EQ(phalanx_decrypt_part(cipher.get(), out.data() + 16, 24, out.data() + 24, part.data(), 40), PHALANX_OK);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), in.begin() + 24));
  ASSERT_EQ(phalanx_decrypt(cipher.get(), iv.data(), out.data(), out.data(), out.size(), iv.data()), PHALANX_OK);
  EXPECT_EQ(out, in);
  EXPECT_TRUE(std::equal(iv.begin(), iv.end(), expected.end() - 8));
}

TEST(CInterface, BatchesSectorsAndParts) {
  Random random(41);
  const Buffer key = random.bytes(16);
  const Buffer other_key = random.bytes(16);
  const Buffer iv = random.bytes(16);
  const Buffer in = random.bytes(100);
  const CipherHandle ctr = new_cipher("twofish-128-ctr", key);
  Buffer first(100);
  Buffer second(33);
  const phalanx_message messages[] = {{nullptr, iv.data(), in.data(), first.data(), 100},
                                      {other_key.data(), iv.data(), in.data(), second.data(), 33}};
  ASSERT_EQ(phalanx_encrypt_batch(ctr.get(), messages, 2), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(first, crypt(Cipher("twofish-128-ctr", key), Direction::encrypt, iv, in));
  EXPECT_EQ(second, crypt(Cipher("twofish-128-ctr", other_key), Direction::encrypt, iv, Bytes(in).first(33)));
  Buffer part(50);
  ASSERT_EQ(phalanx_encrypt_part(ctr.get(), iv.data(), 17, in.data() + 17, part.data(), 50), PHALANX_OK);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), first.begin() + 17));
  const phalanx_message back[] = {{nullptr, iv.data(), first.data(), first.data(), 100}};
  ASSERT_EQ(phalanx_decrypt_batch(ctr.get(), back, 1), PHALANX_OK);
  EXPECT_EQ(first, in);

  const Buffer xts_key = random.bytes(32);
  const CipherHandle xts = new_cipher("aes-128-xts", xts_key);
  Buffer sectors(64);
  Buffer expected(64);
  ASSERT_EQ(phalanx_encrypt_sectors(xts.get(), 5, 2, 32, in.data(), sectors.data(), 64), PHALANX_OK);
  Cipher("aes-128-xts", xts_key).encrypt_sectors(5, 2, 32, Bytes(in).first(64), expected);
  EXPECT_EQ(sectors, expected);
  ASSERT_EQ(phalanx_decrypt_sectors(xts.get(), 5, 2, 32, sectors.data(), sectors.data(), 64), PHALANX_OK);
  EXPECT_TRUE(std::equal(sectors.begin(), sectors.end(), in.begin()));
}

TEST(CInterface, SealsAndOpens) {
  Random random(42);
  const Buffer key = random.bytes(16);
  const CipherHandle gcm = new_cipher("aes-128-gcm", key);
  const Buffer nonce = random.bytes(12);
  const Buffer in = random.bytes(50);
  Buffer text(50);
  Buffer tag(16);
  ASSERT_EQ(phalanx_seal(gcm.get(), nonce.data(), 12, in.data(), 9, in.data(), text.data(), 50, tag.data()), PHALANX_OK);
  Buffer out(50, 1);
  tag[3] ^= 1;
  EXPECT_EQ(phalanx_open(gcm.get(), nonce.data(), 12, in.data(), 9, text.data(), out.data(), 50, tag.data(), 16),
            PHALANX_AUTHENTICATION);
  EXPECT_EQ(out, Buffer(50, 1));
  tag[3] ^= 1;
  EXPECT_EQ(phalanx_open(gcm.get(), nonce.data(), 12, in.data(), 9, text.data(), out.data(), 50, tag.data(), 12),
            PHALANX_OK);
  EXPECT_EQ(out, in);
}

TEST(CInterface, FailuresAreNumbersWithALine) {
  const Buffer key(8);
  phalanx_cipher* none = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&none, "des-cbc", key.data(), 7, nullptr, 0), PHALANX_USAGE);
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(std::strstr(phalanx_last_error(), "8 bytes"), nullptr) << phalanx_last_error();
  EXPECT_EQ(phalanx_cipher_new(&none, "des-cbc", key.data(), 8, "nonsense", 0), PHALANX_USAGE);
  EXPECT_NE(std::strstr(phalanx_last_error(), "nonsense"), nullptr);
  const CipherHandle cbc = new_cipher("des-cbc", key);
  Buffer data(9);
  EXPECT_EQ(phalanx_decrypt(cbc.get(), key.data(), data.data(), data.data(), 9, nullptr), PHALANX_TRUNCATED);
  EXPECT_EQ(phalanx_encrypt(cbc.get(), nullptr, data.data(), data.data(), 8, nullptr), PHALANX_USAGE);
  EXPECT_NE(std::strstr(phalanx_last_error(), "iv is null"), nullptr);
  phalanx_cipher_free(nullptr);
}

TEST(CInterface, ListsEnginesAndTestsThem) {
  std::size_t index = 0;
  const char* name = nullptr;
  const char* description = nullptr;
  const char* reason = nullptr;
  bool found_scalar = false;
  for (; phalanx_engine(index, &name, &description, &reason) == PHALANX_OK; ++index) {
    ASSERT_NE(description, nullptr);
    if (std::string_view(name) == "cpu:scalar") found_scalar = reason[0] == '\0';
  }
  EXPECT_GE(index, 4U);
  EXPECT_TRUE(found_scalar);
  EXPECT_EQ(phalanx_self_test("cpu:scalar"), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(phalanx_self_test("nonsense"), PHALANX_USAGE);
  EXPECT_STREQ(phalanx_version(), version());
}

}  // namespace
}  // namespace phalanx::test
