// What nothing should be encrypted with, and all can be decrypted: long data units of XTS, and keys of it with equal halves.
#include <gtest/gtest.h>
#include <phalanx/phalanx.h>

#include <algorithm>
#include <functional>

#include "engine/library/keyed_mode.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

Buffer key_of_halves(std::uint8_t first, std::uint8_t second) {
  Buffer key(32, first);
  std::fill(key.begin() + 16, key.end(), second);
  return key;
}

void expect_refused(const char* word, const std::function<void()>& run) {
  try {
    run();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::policy) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

class LongUnits : public testing::Test {
 protected:
  const Buffer key = key_of_halves(1, 2);
  const Buffer tweak = Buffer(16, 9);
  const Cipher cipher{"aes-128-xts", key};
  const SectorCipher sectors{"aes-128-xts", key};
  Buffer text = Buffer(most_bytes + 16, 3);
  const MutableBytes all{text};
  const MutableBytes longest = all.first(most_bytes);
};

TEST_F(LongUnits, AreNotEncrypted) {
  const Buffer before = text;
  const Message messages[] = {{tweak, all.first(32), all.first(32), {}, nullptr}, {tweak, all, all, {}, nullptr}};
  expect_refused("2^20 blocks", [&] { (void)cipher.encrypt(tweak, all, all); });
  expect_refused("2^20 blocks", [&] { (void)cipher.encrypt(tweak, all.first(most_bytes + 1), all.first(most_bytes + 1)); });
  expect_refused("2^20 blocks", [&] { cipher.encrypt_part(tweak, 0, all, all); });
  expect_refused("2^20 blocks", [&] { cipher.encrypt_part(tweak, most_bytes, all.last(16), all.last(16)); });
  expect_refused("2^20 blocks", [&] { cipher.encrypt_part(tweak, 0 - std::uint64_t{16}, all.last(16), all.last(16)); });
  expect_refused("2^20 blocks", [&] { cipher.encrypt_batch({messages, 2}); });
  expect_refused("2^20 blocks", [&] { cipher.encrypt_batch({messages + 1, 1}); });
  expect_refused("2^20 blocks", [&] { sectors.encrypt(0, 1, most_bytes + 16, all, all); });
  expect_refused("2^20 blocks", [&] { sectors.encrypt(0, 1, most_bytes + 16, all.first(32), all.first(32)); });
  EXPECT_EQ(text, before);
}

TEST_F(LongUnits, AreDecrypted) {
  const Buffer plain = text;
  KeyedMode::state_of(cipher).crypt_part(Direction::encrypt, tweak, 0, all, all);
  const Buffer sealed = text;
  (void)cipher.decrypt(tweak, all, all);
  EXPECT_EQ(text, plain);
  cipher.decrypt_part(tweak, most_bytes, Bytes(sealed).last(16), all.last(16));
  cipher.decrypt_part(tweak, 0, Bytes(sealed).first(most_bytes), longest);
  EXPECT_EQ(text, plain);
  const Message message[] = {{tweak, sealed, all, {}, nullptr}};
  cipher.decrypt_batch(message);
  EXPECT_EQ(text, plain);
  KeyedMode::state_of(sectors).crypt_sectors(Direction::encrypt, 5, 1, most_bytes + 16, all, all);
  sectors.decrypt(5, 1, most_bytes + 16, all, all);
  EXPECT_EQ(text, plain);
}

TEST_F(LongUnits, ThatAreJustNotTooLongAreEncrypted) {
  const Buffer plain = text;
  (void)cipher.encrypt(tweak, longest, longest);
  cipher.decrypt_part(tweak, 0, longest, longest);
  cipher.encrypt_part(tweak, most_bytes - 16, longest.last(16), longest.last(16));
  cipher.decrypt_part(tweak, most_bytes - 16, longest.last(16), longest.last(16));
  sectors.encrypt(0, 1, most_bytes, all, all);
  sectors.decrypt(0, 1, most_bytes, all, all);
  EXPECT_EQ(text, plain);
}

TEST_F(LongUnits, AreRefusedInC) {
  phalanx_cipher* c_cipher = nullptr;
  phalanx_sector_cipher* c_sectors = nullptr;
  ASSERT_EQ(phalanx_cipher_new(&c_cipher, "aes-128-xts", key.data(), key.size(), nullptr, nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_sector_cipher_new(&c_sectors, "aes-128-xts", key.data(), key.size(), nullptr, nullptr), PHALANX_OK);
  std::uint8_t* const bytes = text.data();
  const phalanx_message message{sizeof(phalanx_message), nullptr, tweak.data(), bytes, bytes, text.size(), nullptr};
  EXPECT_EQ(phalanx_cipher_encrypt(c_cipher, tweak.data(), bytes, bytes, text.size(), nullptr), PHALANX_POLICY);
  EXPECT_EQ(phalanx_cipher_encrypt_part(c_cipher, tweak.data(), most_bytes, bytes, bytes, 16), PHALANX_POLICY);
  EXPECT_EQ(phalanx_cipher_encrypt_batch(c_cipher, &message, 1), PHALANX_POLICY);
  EXPECT_EQ(phalanx_sector_cipher_encrypt(c_sectors, 0, 1, text.size(), bytes, bytes, text.size()), PHALANX_POLICY);
  EXPECT_EQ(phalanx_cipher_decrypt(c_cipher, tweak.data(), bytes, bytes, text.size(), nullptr), PHALANX_OK);
  phalanx_cipher_free(c_cipher);
  phalanx_sector_cipher_free(c_sectors);
}

class EqualHalves : public testing::Test {
 protected:
  const Buffer equal = key_of_halves(7, 7);
  const Buffer unequal = key_of_halves(7, 8);
  const Buffer tweak = Buffer(16, 9);
  Buffer text = Buffer(48, 3);
};

TEST_F(EqualHalves, AreForDecryptingOnly) {
  const Cipher cipher("aes-128-xts", equal);
  const SectorCipher sectors("aes-128-xts", equal);
  const Buffer plain = text;
  expect_refused("halves", [&] { (void)cipher.encrypt(tweak, text, text); });
  expect_refused("halves", [&] { cipher.encrypt_part(tweak, 16, text, text); });
  expect_refused("halves", [&] { sectors.encrypt(0, 1, 16, text, text); });
  EXPECT_EQ(text, plain);
  KeyedMode::state_of(cipher).crypt_part(Direction::encrypt, tweak, 0, text, text);
  (void)cipher.decrypt(tweak, text, text);
  EXPECT_EQ(text, plain);
  KeyedMode::state_of(sectors).crypt_sectors(Direction::encrypt, 0, 1, 16, text, text);
  sectors.decrypt(0, 1, 16, text, text);
  EXPECT_EQ(text, plain);
}

TEST_F(EqualHalves, OfAMessageOfABatch) {
  const Cipher cipher("aes-128-xts", unequal), weak("aes-128-xts", equal);
  const Buffer plain = text;
  const auto batch_of = [&](const Buffer* key, const Cipher* with) {
    return Message{tweak, text, text, key == nullptr ? Bytes{} : Bytes(*key), with};
  };
  for (const Message& message : {batch_of(&equal, nullptr), batch_of(nullptr, &weak)}) {
    expect_refused("halves", [&] { cipher.encrypt_batch({&message, 1}); });
  }
  const Message plain_key = batch_of(nullptr, nullptr), own_key = batch_of(&unequal, nullptr);
  expect_refused("halves", [&] { weak.encrypt_batch({&plain_key, 1}); });
  EXPECT_EQ(text, plain);
  weak.encrypt_batch({&own_key, 1});
  cipher.decrypt_batch({&plain_key, 1});
  EXPECT_EQ(text, plain);
}

TEST_F(EqualHalves, OfOtherModesAreNone) {
  EXPECT_NO_THROW((void)Cipher("aes-256-ctr", equal).encrypt(tweak, text, text));
  EXPECT_FALSE(has_equal_halves(key_of_halves(7, 8)));
  Buffer last_differs = key_of_halves(7, 7);
  last_differs[31] = 6;
  EXPECT_FALSE(has_equal_halves(last_differs));
}

}  // namespace
}  // namespace phalanx::test
