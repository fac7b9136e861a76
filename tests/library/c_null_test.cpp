// Every function of phalanx.h and container.h with every pointer null, one at a time, and with sizes that no memory has: a usage
// error, or for the functions without a code 0, "" or null; never a crash.
#include <gtest/gtest.h>
#include <phalanx/container.h>
#include <phalanx/phalanx.h>

#include <cstring>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

const std::size_t too_many = SIZE_MAX - 7;

phalanx_cipher* new_cipher(const char* name, const Buffer& key) {
  phalanx_cipher* cipher = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&cipher, name, key.data(), key.size(), "cpu:scalar", 1), PHALANX_OK) << phalanx_last_error();
  return cipher;
}

/// The cipher that most calls below want.
class CNull : public testing::Test {
 protected:
  Buffer bytes = Buffer(64, 7);
  std::uint8_t* const data = bytes.data();
  phalanx_cipher* ctr = new_cipher("aes-128-ctr", Buffer(16));
  phalanx_cipher* xts = new_cipher("aes-128-xts", Buffer(32));
  phalanx_cipher* gcm = new_cipher("aes-128-gcm", Buffer(16));
  ~CNull() override {
    for (phalanx_cipher* cipher : {ctr, xts, gcm}) phalanx_cipher_free(cipher);
  }
};

#define EXPECT_USAGE(call)                                                                               \
  do {                                                                                                   \
    EXPECT_EQ(call, PHALANX_USAGE) << #call;                                                             \
    EXPECT_EQ(std::strchr(phalanx_last_error(), '\n'), nullptr) << "one line: " << phalanx_last_error(); \
    EXPECT_STRNE(phalanx_last_error(), "");                                                              \
  } while (false)

TEST_F(CNull, MakingACipher) {
  phalanx_cipher* cipher = ctr;
  EXPECT_USAGE(phalanx_cipher_new(nullptr, "aes-128-ctr", data, 16, "cpu", 1));
  EXPECT_USAGE(phalanx_cipher_new(&cipher, nullptr, data, 16, "cpu", 1));
  EXPECT_EQ(cipher, nullptr) << "as after any failure";
  EXPECT_USAGE(phalanx_cipher_new(&cipher, "aes-128-ctr", nullptr, 16, "cpu", 1));
  EXPECT_USAGE(phalanx_cipher_new(&cipher, "aes-128-ctr", nullptr, 0, "cpu", 1));
  EXPECT_USAGE(phalanx_cipher_new(&cipher, "aes-128-ctr", data, too_many, "cpu", 1));
  EXPECT_USAGE(phalanx_cipher_new(&cipher, "aes-128-ctr", data, 16, "cpu", -1));
  EXPECT_EQ(phalanx_cipher_new(&cipher, "aes-128-ctr", data, 16, nullptr, 1), PHALANX_OK) << "no engine named is allowed";
  phalanx_cipher_free(cipher);
  phalanx_cipher_free(nullptr);
}

TEST_F(CNull, WhatHasNoCode) {
  EXPECT_STREQ(phalanx_cipher_name(nullptr), "");
  EXPECT_STREQ(phalanx_cipher_engine(nullptr), "");
  EXPECT_EQ(phalanx_key_bytes(nullptr), 0U);
  EXPECT_EQ(phalanx_block_bytes(nullptr), 0U);
  EXPECT_EQ(phalanx_iv_bytes(nullptr), 0U);
  EXPECT_EQ(phalanx_container_size(nullptr), 0U);
  EXPECT_STREQ(phalanx_container_suite(nullptr), "");
  phalanx_container_free(nullptr);
  EXPECT_EQ(phalanx_engine(0, nullptr, nullptr, nullptr), PHALANX_OK) << "each output may be null";
  EXPECT_USAGE(phalanx_engine(SIZE_MAX, nullptr, nullptr, nullptr));
  EXPECT_EQ(phalanx_self_test(nullptr), PHALANX_OK) << "the usual engine";
}

TEST_F(CNull, OneMessage) {
  for (const auto crypt : {phalanx_encrypt, phalanx_decrypt}) {
    EXPECT_USAGE(crypt(nullptr, data, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, nullptr, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, nullptr, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, data, nullptr, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, data, data, too_many, nullptr));
    EXPECT_EQ(crypt(ctr, data, nullptr, nullptr, 0, nullptr), PHALANX_OK) << "no bytes need no memory";
  }
  for (const auto crypt : {phalanx_encrypt_part, phalanx_decrypt_part}) {
    EXPECT_USAGE(crypt(nullptr, data, 0, data, data, 16));
    EXPECT_USAGE(crypt(ctr, nullptr, 0, data, data, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, nullptr, data, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, data, nullptr, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, data, data, too_many));
  }
  for (const auto crypt : {phalanx_encrypt_on_device, phalanx_decrypt_on_device}) {
    EXPECT_USAGE(crypt(nullptr, data, 0, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, nullptr, 0, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, 0, nullptr, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, 0, data, nullptr, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, 0, data, data, too_many, nullptr));
  }
}

TEST_F(CNull, Sectors) {
  for (const auto crypt : {phalanx_encrypt_sectors, phalanx_decrypt_sectors}) {
    EXPECT_USAGE(crypt(nullptr, 0, 1, 16, data, data, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, nullptr, data, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, data, nullptr, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, data, data, too_many));
    EXPECT_USAGE(crypt(xts, 0, 1, 0, data, data, 32));
  }
}

/// A sector that is larger than all data is one short sector.
TEST_F(CNull, SectorsLargerThanMemory) {
  Buffer out(32);
  Buffer expected(32);
  ASSERT_EQ(phalanx_encrypt_sectors(xts, 5, 1, SIZE_MAX - 15, data, out.data(), 32), PHALANX_OK) << phalanx_last_error();
  ASSERT_EQ(phalanx_encrypt_sectors(xts, 5, 1, 32, data, expected.data(), 32), PHALANX_OK);
  EXPECT_EQ(out, expected);
}

TEST_F(CNull, Batches) {
  const phalanx_message good = {nullptr, data, data, data + 32, 16};
  phalanx_message without_iv = good;
  without_iv.iv = nullptr;
  phalanx_message without_in = good;
  without_in.in = nullptr;
  phalanx_message without_out = good;
  without_out.out = nullptr;
  phalanx_message too_long = good;
  too_long.size = too_many;
  for (const auto crypt : {phalanx_encrypt_batch, phalanx_decrypt_batch}) {
    EXPECT_USAGE(crypt(nullptr, &good, 1));
    EXPECT_USAGE(crypt(ctr, nullptr, 1));
    EXPECT_USAGE(crypt(ctr, &good, too_many));
    EXPECT_EQ(crypt(ctr, nullptr, 0), PHALANX_OK);
    EXPECT_EQ(crypt(ctr, &good, 1), PHALANX_OK) << "a key that is null is the cipher's";
    for (const phalanx_message& bad : {without_iv, without_in, without_out, too_long}) EXPECT_USAGE(crypt(ctr, &bad, 1));
  }
}

TEST_F(CNull, SealingAndOpening) {
  std::uint8_t tag[16];
  EXPECT_USAGE(phalanx_seal(nullptr, data, 12, data, 4, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, nullptr, 12, data, 4, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, nullptr, 0, data, 4, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, nullptr, 4, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, data, 4, nullptr, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, data, 4, data, nullptr, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, data, 4, data, data + 32, 16, nullptr));
  EXPECT_USAGE(phalanx_seal(gcm, data, too_many, data, 4, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, data, too_many, data, data + 32, 16, tag));
  EXPECT_USAGE(phalanx_seal(gcm, data, 12, data, 4, data, data + 32, too_many, tag));
  EXPECT_EQ(phalanx_seal(gcm, data, 12, nullptr, 0, nullptr, nullptr, 0, tag), PHALANX_OK) << "nothing needs no memory";
  EXPECT_USAGE(phalanx_open(nullptr, data, 12, data, 4, data, data + 32, 16, tag, 16));
  EXPECT_USAGE(phalanx_open(gcm, nullptr, 12, data, 4, data, data + 32, 16, tag, 16));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, nullptr, 4, data, data + 32, 16, tag, 16));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, data, 4, nullptr, data + 32, 16, tag, 16));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, data, 4, data, nullptr, 16, tag, 16));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, data, 4, data, data + 32, 16, nullptr, 16));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, data, 4, data, data + 32, 16, nullptr, 0));
  EXPECT_USAGE(phalanx_open(gcm, data, 12, data, 4, data, data + 32, 16, tag, too_many));
  EXPECT_EQ(phalanx_open(gcm, data, 12, nullptr, 0, nullptr, nullptr, 0, tag, 16), PHALANX_OK);
}

int read_nothing(void* /*context*/, std::uint64_t /*offset*/, std::uint8_t* /*out*/, std::size_t /*size*/) { return 1; }

TEST_F(CNull, MakingContainers) {
  const phalanx_recipient good = {PHALANX_KEY, data, 32, 0, 0, 0};
  const phalanx_recipient without_secret = {PHALANX_KEY, nullptr, 32, 0, 0, 0};
  const phalanx_recipient too_long = {PHALANX_PASSPHRASE, data, too_many, 0, 0, 0};
  std::uint64_t size = 0;
  EXPECT_USAGE(phalanx_container_bytes(nullptr, &good, 1, 9, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", nullptr, 1, 9, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, 1, 9, nullptr));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, 1, UINT64_MAX, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, too_many, 9, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &without_secret, 1, 9, &size));
  ASSERT_EQ(phalanx_container_bytes("aes-256", &good, 1, 9, &size), PHALANX_OK);
  Buffer out(size);
  EXPECT_USAGE(phalanx_seal_container(nullptr, &good, 1, data, 9, out.data(), size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", nullptr, 1, data, 9, out.data(), size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &good, 1, nullptr, 9, out.data(), size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &good, 1, data, 9, nullptr, size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &good, 1, data, too_many, out.data(), size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &good, 1, data, 9, out.data(), too_many, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &without_secret, 1, data, 9, out.data(), size, nullptr, 1));
  EXPECT_USAGE(phalanx_seal_container("aes-256", &too_long, 1, data, 9, out.data(), size, nullptr, 1));
}

TEST_F(CNull, ReadingContainers) {
  const phalanx_recipient good = {PHALANX_KEY, data, 32, 0, 0, 0};
  std::uint64_t size = 0;
  ASSERT_EQ(phalanx_container_bytes("aes-256", &good, 1, 9, &size), PHALANX_OK);
  Buffer sealed(size);
  ASSERT_EQ(phalanx_seal_container("aes-256", &good, 1, data, 9, sealed.data(), size, nullptr, 1), PHALANX_OK);
  phalanx_container* container = nullptr;
  EXPECT_USAGE(phalanx_container_open(nullptr, read_nothing, nullptr, size, &good, 1, 0, nullptr, 1));
  EXPECT_USAGE(phalanx_container_open(&container, nullptr, nullptr, size, &good, 1, 0, nullptr, 1));
  EXPECT_USAGE(phalanx_container_open(&container, read_nothing, nullptr, size, nullptr, 1, 0, nullptr, 1));
  EXPECT_EQ(phalanx_container_open(&container, read_nothing, nullptr, size, &good, 1, 0, nullptr, 1), PHALANX_RUNTIME);
  EXPECT_USAGE(phalanx_container_open_memory(nullptr, sealed.data(), size, &good, 1, 0, nullptr, 1));
  EXPECT_USAGE(phalanx_container_open_memory(&container, nullptr, size, &good, 1, 0, nullptr, 1));
  EXPECT_USAGE(phalanx_container_open_memory(&container, sealed.data(), size, nullptr, 1, 0, nullptr, 1));
  EXPECT_USAGE(phalanx_container_open_memory(&container, sealed.data(), too_many, &good, 1, 0, nullptr, 1));
  EXPECT_EQ(phalanx_container_open_memory(&container, nullptr, 0, &good, 1, 0, nullptr, 1), PHALANX_TRUNCATED);
  ASSERT_EQ(phalanx_container_open_memory(&container, sealed.data(), size, &good, 1, 0, nullptr, 1), PHALANX_OK);
  EXPECT_USAGE(phalanx_container_read(nullptr, 0, data, 9));
  EXPECT_USAGE(phalanx_container_read(container, 0, nullptr, 9));
  EXPECT_USAGE(phalanx_container_read(container, 0, data, too_many));
  EXPECT_EQ(phalanx_container_read(container, 9, nullptr, 0), PHALANX_OK);
  phalanx_container_free(container);
}

}  // namespace
}  // namespace phalanx::test
