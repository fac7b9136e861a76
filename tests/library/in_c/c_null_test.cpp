// Every function of phalanx.h with every pointer null, one at a time, and with sizes that no memory has: a usage error; never a
// crash.
#include "tests/library/in_c/c_null.hpp"

#include <phalanx/device_aead.h>
#include <phalanx/files/container.h>
#include <phalanx/phalanx.h>

namespace phalanx::test {
namespace {

// `choice` is the policy of a cipher or the options of an aead.
template <class Handle, class Choice, class Make, class Free>
void expect_checked_making(const char* name, std::size_t key_bytes, Choice choice, const Make& make, const Free& free) {
  Buffer key(key_bytes, 7);
  Handle* made = reinterpret_cast<Handle*>(key.data());
  EXPECT_USAGE(make(nullptr, name, key.data(), key_bytes, &choice, &scalar));
  EXPECT_USAGE(make(&made, nullptr, key.data(), key_bytes, &choice, &scalar));
  EXPECT_EQ(made, nullptr) << "as after any failure";
  EXPECT_USAGE(make(&made, name, nullptr, key_bytes, &choice, &scalar));
  EXPECT_USAGE(make(&made, name, nullptr, 0, &choice, &scalar));
  EXPECT_USAGE(make(&made, name, key.data(), too_many, &choice, &scalar));
  phalanx_engine_options bad = scalar;
  bad.num_threads = -1;
  EXPECT_USAGE(make(&made, name, key.data(), key_bytes, &choice, &bad));
  for (const std::size_t struct_bytes : {std::size_t{0}, std::size_t{7}, too_many}) {
    bad = scalar;
    bad.struct_bytes = struct_bytes;
    EXPECT_USAGE(make(&made, name, key.data(), key_bytes, &choice, &bad));
    choice.struct_bytes = struct_bytes;
    EXPECT_USAGE(make(&made, name, key.data(), key_bytes, &choice, &scalar));
  }
  free(nullptr);
}

// Of a struct that was zeroed, as C programmers do: the sentence names what to begin with.
TEST_F(CNull, ZeroedStructs) {
  const Buffer key(16);
  phalanx_cipher* made = nullptr;
  const phalanx_engine_options zeroed = {};
  EXPECT_USAGE(phalanx_cipher_new(&made, "aes-128-ctr", key.data(), key.size(), nullptr, &zeroed));
  EXPECT_NE(std::strstr(phalanx_last_error(), "struct_bytes is 0"), nullptr) << phalanx_last_error();
  EXPECT_NE(std::strstr(phalanx_last_error(), "begin with PHALANX_ENGINE_OPTIONS_INIT"), nullptr) << phalanx_last_error();
  phalanx_facts facts = {};
  EXPECT_USAGE(phalanx_facts_of("aes-128-ctr", &facts));
  EXPECT_NE(std::strstr(phalanx_last_error(), "begin with PHALANX_FACTS_INIT"), nullptr) << phalanx_last_error();
  const phalanx_message message = {};
  EXPECT_USAGE(phalanx_cipher_encrypt_batch(ctr, &message, 1));
  EXPECT_NE(std::strstr(phalanx_last_error(), "begin with PHALANX_MESSAGE_INIT"), nullptr) << phalanx_last_error();
  const phalanx_identity nobody = {};
  phalanx_container_reader* reader = nullptr;
  EXPECT_USAGE(phalanx_container_reader_of_memory(&reader, data, 64, &nobody, 1, nullptr, nullptr, nullptr));
  EXPECT_NE(std::strstr(phalanx_last_error(), "begin with PHALANX_IDENTITY_INIT"), nullptr) << phalanx_last_error();
}

TEST_F(CNull, Making) {
  const phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  const phalanx_aead_options usual = PHALANX_AEAD_OPTIONS_INIT;
  expect_checked_making<phalanx_cipher>("aes-128-ctr", 16, policy, phalanx_cipher_new, phalanx_cipher_free);
  expect_checked_making<phalanx_sector_cipher>("aes-128-xts", 32, policy, phalanx_sector_cipher_new,
                                               phalanx_sector_cipher_free);
  expect_checked_making<phalanx_device_cipher>("aes-128-ctr", 16, policy, phalanx_device_cipher_new,
                                               phalanx_device_cipher_free);
  expect_checked_making<phalanx_device_aead>("aes-128-gcm", 16, usual, phalanx_device_aead_new, phalanx_device_aead_free);
  expect_checked_making<phalanx_aead>("aes-128-gcm", 16, usual, phalanx_aead_new, phalanx_aead_free);
  for (const std::size_t tag_bytes : {0, 11, 17}) {
    phalanx_aead_options bad = usual;
    bad.tag_bytes = tag_bytes;
    phalanx_aead* aead = nullptr;
    EXPECT_USAGE(phalanx_aead_new(&aead, "aes-128-gcm", data, 16, &bad, &scalar));
    EXPECT_EQ(aead, nullptr);
  }
  phalanx_cipher* cipher = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&cipher, "aes-128-ctr", data, 16, nullptr, nullptr), PHALANX_OK) << "no options are allowed";
  phalanx_cipher_free(cipher);
}

TEST_F(CNull, Asking) {
  const char* engine = nullptr;
  EXPECT_USAGE(phalanx_cipher_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_cipher_engine(ctr, nullptr));
  EXPECT_USAGE(phalanx_sector_cipher_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_sector_cipher_engine(xts, nullptr));
  EXPECT_USAGE(phalanx_device_cipher_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_device_aead_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_aead_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_aead_engine(gcm, nullptr));
  EXPECT_EQ(phalanx_aead_engine(gcm, &engine), PHALANX_OK);
  phalanx_facts facts = PHALANX_FACTS_INIT;
  EXPECT_USAGE(phalanx_facts_of(nullptr, &facts));
  EXPECT_USAGE(phalanx_facts_of("aes-128-ctr", nullptr));
  EXPECT_USAGE(phalanx_facts_at(0, nullptr));
  EXPECT_USAGE(phalanx_facts_at(SIZE_MAX, &facts));
  facts.struct_bytes = 0;
  EXPECT_USAGE(phalanx_facts_at(0, &facts));
  EXPECT_EQ(phalanx_engine_at(0, nullptr, nullptr, nullptr), PHALANX_OK) << "each output may be null";
  EXPECT_USAGE(phalanx_engine_at(SIZE_MAX, nullptr, nullptr, nullptr));
  EXPECT_EQ(phalanx_self_test(nullptr), PHALANX_OK) << "the usual engine";
}

TEST_F(CNull, OneMessage) {
  for (const auto crypt : {phalanx_cipher_encrypt, phalanx_cipher_decrypt}) {
    EXPECT_USAGE(crypt(nullptr, data, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, nullptr, data, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, nullptr, data, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, data, nullptr, 16, nullptr));
    EXPECT_USAGE(crypt(ctr, data, data, data, too_many, nullptr));
    EXPECT_EQ(crypt(ctr, data, nullptr, nullptr, 0, nullptr), PHALANX_OK) << "no bytes need no memory";
  }
  for (const auto crypt : {phalanx_cipher_encrypt_part, phalanx_cipher_decrypt_part}) {
    EXPECT_USAGE(crypt(nullptr, data, 0, data, data, 16));
    EXPECT_USAGE(crypt(ctr, nullptr, 0, data, data, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, nullptr, data, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, data, nullptr, 16));
    EXPECT_USAGE(crypt(ctr, data, 0, data, data, too_many));
  }
  for (const auto crypt : {phalanx_device_cipher_encrypt, phalanx_device_cipher_decrypt}) {
    EXPECT_USAGE(crypt(nullptr, data, 0, data, data, 16, nullptr));
  }
}

TEST_F(CNull, MemoryOfAGpu) {
  const char* engine = nullptr;
  phalanx_device_verdicts* verdicts = nullptr;
  phalanx_device_batch batch = PHALANX_DEVICE_BATCH_INIT;
  EXPECT_USAGE(phalanx_device_aead_seal(nullptr, data, 12, nullptr, 0, data, data, 16, data, nullptr));
  EXPECT_USAGE(phalanx_device_aead_open(nullptr, data, 12, nullptr, 0, data, data, 16, data, nullptr));
  EXPECT_USAGE(phalanx_device_aead_open_async(&verdicts, nullptr, data, 12, nullptr, 0, data, data, 16, data, nullptr));
  EXPECT_USAGE(phalanx_device_aead_open_async(nullptr, nullptr, data, 12, nullptr, 0, data, data, 16, data, nullptr));
  for (const auto crypt : {phalanx_device_aead_seal_batch, phalanx_device_aead_open_batch}) {
    EXPECT_USAGE(crypt(nullptr, &batch, nullptr));
    EXPECT_USAGE(crypt(nullptr, nullptr, nullptr));
  }
  for (const auto crypt : {phalanx_device_aead_seal_batch_async, phalanx_device_aead_open_batch_async}) {
    EXPECT_USAGE(crypt(&verdicts, nullptr, &batch, nullptr));
    EXPECT_USAGE(crypt(nullptr, nullptr, &batch, nullptr));
  }
  phalanx_device_chunked* chunked = nullptr;
  EXPECT_USAGE(phalanx_device_chunked_new(nullptr, "cobblestone-128", data, 16, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_device_chunked_new(&chunked, nullptr, data, 16, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_device_chunked_new(&chunked, "cobblestone-128", nullptr, 16, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_device_chunked_new(&chunked, "cobblestone-128", data, 16, nullptr, 1, nullptr));
  EXPECT_EQ(chunked, nullptr);
  EXPECT_USAGE(phalanx_device_chunked_engine(nullptr, &engine));
  for (const auto crypt : {phalanx_device_chunked_seal, phalanx_device_chunked_open}) {
    EXPECT_USAGE(crypt(nullptr, data, 16, data, nullptr));
  }
  EXPECT_USAGE(phalanx_device_chunked_seal_async(&verdicts, nullptr, data, 16, data, nullptr));
  EXPECT_USAGE(phalanx_device_chunked_open_async(&verdicts, nullptr, data, 16, data, 16, data, nullptr));
  EXPECT_USAGE(phalanx_device_chunked_open_async(nullptr, nullptr, data, 16, data, 16, data, nullptr));
  phalanx_device_chunked_free(nullptr);
  EXPECT_EQ(verdicts, nullptr);
  for (const auto crypt : {phalanx_device_cipher_encrypt_batch, phalanx_device_cipher_decrypt_batch}) {
    EXPECT_USAGE(crypt(nullptr, &batch, nullptr));
  }
  for (const auto crypt : {phalanx_device_cipher_encrypt_batch_async, phalanx_device_cipher_decrypt_batch_async}) {
    EXPECT_USAGE(crypt(&verdicts, nullptr, &batch, nullptr));
    EXPECT_USAGE(crypt(nullptr, nullptr, &batch, nullptr));
  }
  phalanx_device_sectors sectors = PHALANX_DEVICE_SECTORS_INIT;
  for (const auto crypt : {phalanx_device_cipher_encrypt_sectors, phalanx_device_cipher_decrypt_sectors}) {
    EXPECT_USAGE(crypt(nullptr, &sectors, nullptr));
  }
  EXPECT_USAGE(phalanx_device_verdicts_pointers(nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_device_verdicts_require(nullptr, nullptr));
  EXPECT_USAGE(phalanx_device_verdicts_wait(nullptr));
  EXPECT_USAGE(phalanx_device_verdicts_read(nullptr, data, 1));
}

TEST_F(CNull, Sectors) {
  for (const auto crypt : {phalanx_sector_cipher_encrypt, phalanx_sector_cipher_decrypt}) {
    EXPECT_USAGE(crypt(nullptr, 0, 1, 16, data, data, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, nullptr, data, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, data, nullptr, 32));
    EXPECT_USAGE(crypt(xts, 0, 1, 16, data, data, too_many));
    EXPECT_USAGE(crypt(xts, 0, 1, 0, data, data, 32));
  }
}

// A sector that is larger than all data is one short sector.
TEST_F(CNull, SectorsLargerThanMemory) {
  Buffer out(32);
  Buffer expected(32);
  ASSERT_EQ(phalanx_sector_cipher_decrypt(xts, 5, 1, SIZE_MAX - 15, data, out.data(), 32), PHALANX_OK)
      << phalanx_last_error();
  ASSERT_EQ(phalanx_sector_cipher_decrypt(xts, 5, 1, 32, data, expected.data(), 32), PHALANX_OK);
  EXPECT_EQ(out, expected);
}

TEST_F(CNull, Batches) {
  const phalanx_message good = {sizeof(phalanx_message), nullptr, data, data, data + 32, 16, nullptr};
  phalanx_message without_iv = good;
  without_iv.iv = nullptr;
  phalanx_message without_in = good;
  without_in.in = nullptr;
  phalanx_message without_out = good;
  without_out.out = nullptr;
  phalanx_message too_long = good;
  too_long.size = too_many;
  for (const auto crypt : {phalanx_cipher_encrypt_batch, phalanx_cipher_decrypt_batch}) {
    EXPECT_USAGE(crypt(nullptr, &good, 1));
    EXPECT_USAGE(crypt(ctr, nullptr, 1));
    EXPECT_USAGE(crypt(ctr, &good, too_many));
    EXPECT_EQ(crypt(ctr, nullptr, 0), PHALANX_OK);
    EXPECT_EQ(crypt(ctr, &good, 1), PHALANX_OK) << "a key that is null is the cipher's";
    for (const phalanx_message& bad : {without_iv, without_in, without_out, too_long}) EXPECT_USAGE(crypt(ctr, &bad, 1));
  }
}

// What is read or written for so long comes to no end of its memory, and to a crash.
TEST_F(CNull, SizesThatNoAddressSpaceHas) {
  for (const std::size_t size :
       {std::size_t{1} << 47, std::size_t{1} << 56, static_cast<std::size_t>(PTRDIFF_MAX), too_many}) {
    EXPECT_USAGE(phalanx_random_bytes(data, size));
    EXPECT_USAGE(phalanx_aead_seal(gcm, data, 12, data, size, data, 16, data + 32, 16, data + 48, 16));
    EXPECT_USAGE(phalanx_aead_open(gcm, data, 12, data, size, data, 16, data + 32, 16, data + 48, 16));
  }
}

TEST_F(CNull, SealingAndOpening) {
  std::uint8_t tag[16];
  const auto check = [&](const auto& crypt) {
    EXPECT_USAGE(crypt(nullptr, data, 12, data, 4, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, nullptr, 12, data, 4, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, nullptr, 0, data, 4, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, nullptr, 4, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, nullptr, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, data, 16, nullptr, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, data, 16, data + 32, 16, nullptr, 16));
    EXPECT_USAGE(crypt(gcm, data, too_many, data, 4, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, too_many, data, 16, data + 32, 16, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, data, too_many, data + 32, too_many, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, data, 16, data + 32, too_many, tag, 16));
    EXPECT_USAGE(crypt(gcm, data, 12, data, 4, data, 16, data + 32, 16, tag, too_many));
    EXPECT_EQ(crypt(gcm, data, 12, nullptr, 0, nullptr, 0, nullptr, 0, tag, 16), PHALANX_OK) << "nothing needs no memory";
  };
  check(phalanx_aead_seal);
  check(phalanx_aead_open);
}

TEST_F(CNull, SealedBatches) {
  std::uint8_t tag[16];
  const phalanx_aead_message good = {
      sizeof(phalanx_aead_message), nullptr, data, 12, data, 4, data, 16, data + 32, 16, tag, 16, 0};
  std::vector<phalanx_aead_message> bad(13, good);
  bad[0].nonce = nullptr;
  bad[1].nonce_bytes = 0;
  bad[2].associated_data = nullptr;
  bad[3].in = nullptr;
  bad[4].out = nullptr;
  bad[5].tag = nullptr;
  bad[6].in_bytes = too_many;
  bad[7].nonce_bytes = too_many;
  bad[8].associated_bytes = too_many;
  bad[9].out_bytes = too_many;
  bad[10].out_bytes = 17;
  bad[11].tag_bytes = too_many;
  bad[12].tag_bytes = 15;
  phalanx_aead_message one = good;
  const auto check = [&](const auto& crypt) {
    EXPECT_USAGE(crypt(nullptr, &one, 1));
    EXPECT_USAGE(crypt(gcm, nullptr, 1));
    EXPECT_USAGE(crypt(gcm, &one, too_many));
    EXPECT_EQ(crypt(gcm, nullptr, 0), PHALANX_OK);
    for (phalanx_aead_message& message : bad) EXPECT_USAGE(crypt(gcm, &message, 1));
  };
  check(phalanx_aead_seal_batch);
  check(phalanx_aead_open_batch);
  EXPECT_EQ(phalanx_aead_seal_batch(gcm, &one, 1), PHALANX_OK) << "a key that is null is the aead's";
  one.in = data + 32;
  EXPECT_EQ(phalanx_aead_open_batch(gcm, &one, 1), PHALANX_OK);
  EXPECT_EQ(one.is_authentic, 1);
}

TEST_F(CNull, RandomNonces) {
  phalanx_aead* xaes = nullptr;
  ASSERT_EQ(phalanx_aead_new(&xaes, "xaes-256-gcm", data, 32, nullptr, &scalar), PHALANX_OK);
  Buffer sealed(20 + PHALANX_NONCE_AND_TAG_BYTES);
  const auto check_one = [&](const auto& crypt, std::size_t in_bytes, std::size_t out_bytes) {
    EXPECT_USAGE(crypt(nullptr, data, 4, data, in_bytes, sealed.data(), out_bytes));
    EXPECT_USAGE(crypt(xaes, nullptr, 4, data, in_bytes, sealed.data(), out_bytes));
    EXPECT_USAGE(crypt(xaes, data, 4, nullptr, in_bytes, sealed.data(), out_bytes));
    EXPECT_USAGE(crypt(xaes, data, 4, data, in_bytes, nullptr, out_bytes));
    EXPECT_USAGE(crypt(xaes, data, too_many, data, in_bytes, sealed.data(), out_bytes));
    EXPECT_USAGE(crypt(xaes, data, 4, data, too_many, sealed.data(), out_bytes));
    EXPECT_USAGE(crypt(xaes, data, 4, data, in_bytes, sealed.data(), too_many));
  };
  check_one(phalanx_aead_seal_with_new_nonce, 20, 60);
  check_one(phalanx_aead_open_with_leading_nonce, 60, 20);
  phalanx_aead_leading_nonce_message one = {
      sizeof(phalanx_aead_leading_nonce_message), nullptr, nullptr, 0, data, 20, sealed.data(), sealed.size(), 0};
  const auto check = [&](const auto& crypt, std::size_t in_bytes, std::size_t out_bytes) {
    const phalanx_aead_leading_nonce_message good = {
        sizeof(phalanx_aead_leading_nonce_message), nullptr, data, 4, data, in_bytes, sealed.data(), out_bytes, 0};
    std::vector<phalanx_aead_leading_nonce_message> bad(7, good);
    bad[0].associated_data = nullptr;
    bad[1].in = nullptr;
    bad[2].out = nullptr;
    bad[3].in_bytes = too_many;
    bad[4].associated_bytes = too_many;
    bad[5].out_bytes = too_many;
    bad[6].out_bytes = out_bytes - 1;
    EXPECT_USAGE(crypt(nullptr, &one, 1));
    EXPECT_USAGE(crypt(xaes, nullptr, 1));
    EXPECT_USAGE(crypt(xaes, &one, too_many));
    EXPECT_EQ(crypt(xaes, nullptr, 0), PHALANX_OK);
    for (phalanx_aead_leading_nonce_message& message : bad) EXPECT_USAGE(crypt(xaes, &message, 1));
  };
  check(phalanx_aead_seal_with_new_nonce_batch, 20, 60);
  check(phalanx_aead_open_with_leading_nonce_batch, 60, 20);
  EXPECT_EQ(phalanx_aead_seal_with_new_nonce_batch(xaes, &one, 1), PHALANX_OK);
  phalanx_aead_free(xaes);
}

}  // namespace
}  // namespace phalanx::test
