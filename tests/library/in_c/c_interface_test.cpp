// phalanx.h: the same bytes as phalanx.hpp, and errors as numbers.
#include <gtest/gtest.h>
#include <phalanx/device_aead.h>
#include <phalanx/phalanx.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/library/tested_engines.hpp"

namespace phalanx::test {
namespace {

struct Free {
  void operator()(phalanx_cipher* cipher) const { phalanx_cipher_free(cipher); }
  void operator()(phalanx_sector_cipher* cipher) const { phalanx_sector_cipher_free(cipher); }
  void operator()(phalanx_aead* aead) const { phalanx_aead_free(aead); }
};

phalanx_engine_options scalar_options() {
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.engine = "cpu:scalar";
  options.num_threads = 1;
  return options;
}

// `choice` is the policy of a cipher or the options of an aead.
template <class Handle, class Make, class Choice>
auto made(const Make& make, const char* name, const Buffer& key, const Choice& choice) {
  const phalanx_engine_options options = scalar_options();
  Handle* handle = nullptr;
  EXPECT_EQ(make(&handle, name, key.data(), key.size(), &choice, &options), PHALANX_OK) << phalanx_last_error();
  return std::unique_ptr<Handle, Free>(handle);
}
auto new_cipher(const char* name, const Buffer& key) {
  phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  policy.allow_legacy = 1;
  return made<phalanx_cipher>(phalanx_cipher_new, name, key, policy);
}
auto new_aead(const char* name, const Buffer& key, std::size_t tag_bytes = 16) {
  phalanx_aead_options options = PHALANX_AEAD_OPTIONS_INIT;
  options.tag_bytes = tag_bytes;
  return made<phalanx_aead>(phalanx_aead_new, name, key, options);
}

TEST(CInterface, CryptsAsTheCppInterface) {
  Random random(40);
  const Buffer key = random.bytes(24);
  Buffer iv = random.bytes(8);
  const Buffer in = random.bytes(80);
  const auto cipher = new_cipher("3DES-cbc", key);
  const char* engine = nullptr;
  ASSERT_EQ(phalanx_cipher_engine(cipher.get(), &engine), PHALANX_OK);
  EXPECT_STREQ(engine, "cpu:scalar");
  const Buffer expected = crypt(Cipher("des-ede3-cbc", key, {}, {.allow_legacy = true}), Direction::encrypt, iv, in);
  Buffer chain = iv;
  Buffer out(80);
  ASSERT_EQ(phalanx_cipher_encrypt(cipher.get(), chain.data(), in.data(), out.data(), 32, chain.data()), PHALANX_OK);
  ASSERT_EQ(phalanx_cipher_encrypt(cipher.get(), chain.data(), in.data() + 32, out.data() + 32, 48, nullptr), PHALANX_OK);
  EXPECT_EQ(out, expected);
  Buffer part(40);
  ASSERT_EQ(phalanx_cipher_decrypt_part(cipher.get(), out.data() + 16, 24, out.data() + 24, part.data(), 40), PHALANX_OK);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), in.begin() + 24));
  ASSERT_EQ(phalanx_cipher_decrypt(cipher.get(), iv.data(), out.data(), out.data(), out.size(), iv.data()), PHALANX_OK);
  EXPECT_EQ(out, in);
  EXPECT_TRUE(std::equal(iv.begin(), iv.end(), expected.end() - 8));
}

TEST(CInterface, BatchesSectorsAndParts) {
  Random random(41);
  const Buffer key = random.bytes(16);
  const Buffer other_key = random.bytes(16);
  const Buffer iv = random.bytes(16);
  const Buffer in = random.bytes(100);
  const auto ctr = new_cipher("twofish-128-ctr", key);
  Buffer first(100);
  Buffer second(33);
  Buffer third(33);
  const auto other = new_cipher("twofish-128-ctr", other_key);
  const phalanx_message messages[] = {
      {sizeof(phalanx_message), nullptr, iv.data(), in.data(), first.data(), 100, nullptr},
      {sizeof(phalanx_message), other_key.data(), iv.data(), in.data(), second.data(), 33, nullptr},
      {sizeof(phalanx_message), nullptr, iv.data(), in.data(), third.data(), 33, other.get()}};
  ASSERT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), messages, 3), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(third, second);
  const phalanx_message both[] = {
      {sizeof(phalanx_message), other_key.data(), iv.data(), in.data(), third.data(), 33, other.get()}};
  EXPECT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), both, 1), PHALANX_USAGE);
  EXPECT_EQ(first, crypt(Cipher("twofish-128-ctr", key), Direction::encrypt, iv, in));
  EXPECT_EQ(second, crypt(Cipher("twofish-128-ctr", other_key), Direction::encrypt, iv, Bytes(in).first(33)));
  Buffer part(50);
  ASSERT_EQ(phalanx_cipher_encrypt_part(ctr.get(), iv.data(), 17, in.data() + 17, part.data(), 50), PHALANX_OK);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), first.begin() + 17));
  const phalanx_message back[] = {{sizeof(phalanx_message), nullptr, iv.data(), first.data(), first.data(), 100, nullptr}};
  ASSERT_EQ(phalanx_cipher_decrypt_batch(ctr.get(), back, 1), PHALANX_OK);
  EXPECT_EQ(first, in);

  const Buffer xts_key = random.bytes(32);
  const auto xts = made<phalanx_sector_cipher>(phalanx_sector_cipher_new, "aes-128-xts", xts_key,
                                               phalanx_cipher_policy PHALANX_CIPHER_POLICY_INIT);
  Buffer sectors(64);
  Buffer expected(64);
  ASSERT_EQ(phalanx_sector_cipher_encrypt(xts.get(), 5, 2, 32, in.data(), sectors.data(), 64), PHALANX_OK);
  SectorCipher("aes-128-xts", xts_key).encrypt(5, 2, 32, Bytes(in).first(64), expected);
  EXPECT_EQ(sectors, expected);
  ASSERT_EQ(phalanx_sector_cipher_decrypt(xts.get(), 5, 2, 32, sectors.data(), sectors.data(), 64), PHALANX_OK);
  EXPECT_TRUE(std::equal(sectors.begin(), sectors.end(), in.begin()));
}

TEST(CInterface, SealsAndOpens) {
  Random random(42);
  const Buffer key = random.bytes(16);
  const Buffer nonce = random.bytes(12);
  const Buffer in = random.bytes(50);
  Buffer text(50);
  const auto sealer = new_aead("aes-128-gcm", key);
  for (const std::size_t size : {16, 12}) {
    const auto gcm = new_aead("aes-128-gcm", key, size);
    Buffer tag(17, 0x77);
    ASSERT_EQ(
        phalanx_aead_seal(sealer.get(), nonce.data(), 12, in.data(), 9, in.data(), 50, text.data(), 50, tag.data(), 16),
        PHALANX_OK);
    EXPECT_EQ(tag[16], 0x77);
    tag.resize(size);
    Buffer out(50, 1);
    tag[3] ^= 1;
    EXPECT_EQ(
        phalanx_aead_open(gcm.get(), nonce.data(), 12, in.data(), 9, text.data(), 50, out.data(), 50, tag.data(), size),
        PHALANX_AUTHENTICATION);
    EXPECT_EQ(out, Buffer(50, 1));
    tag[3] ^= 1;
    EXPECT_EQ(
        phalanx_aead_open(gcm.get(), nonce.data(), 12, in.data(), 9, text.data(), 50, out.data(), 50, tag.data(), size),
        PHALANX_OK);
    EXPECT_EQ(out, in);
  }
}

TEST(CInterface, ReleasesPlaintextAsTheOptionsSay) {
  Random random(43);
  const Buffer key = random.bytes(16), nonce = random.bytes(12), in = random.bytes(50);
  phalanx_aead_options options = PHALANX_AEAD_OPTIONS_INIT;
  options.release = PHALANX_RELEASE_WIPED_ON_FAILURE;
  phalanx_aead* gcm = nullptr;
  ASSERT_EQ(phalanx_aead_new(&gcm, "aes-128-gcm", key.data(), 16, &options, nullptr), PHALANX_OK);
  Buffer text(50), out(50, 1), tag(16);
  ASSERT_EQ(phalanx_aead_seal(gcm, nonce.data(), 12, nullptr, 0, in.data(), 50, text.data(), 50, tag.data(), 16),
            PHALANX_OK);
  const auto open = [&](Buffer& to) {
    return phalanx_aead_open(gcm, nonce.data(), 12, nullptr, 0, text.data(), 50, to.data(), 50, tag.data(), 16);
  };
  EXPECT_EQ(open(out), PHALANX_OK);
  EXPECT_EQ(out, in);
  EXPECT_EQ(open(text), PHALANX_USAGE) << "in place";
  tag[3] ^= 1;
  EXPECT_EQ(open(out), PHALANX_AUTHENTICATION);
  EXPECT_EQ(out, Buffer(50));
  phalanx_aead_free(gcm);
  options.release = 2;
  EXPECT_EQ(phalanx_aead_new(&gcm, "aes-128-gcm", key.data(), 16, &options, nullptr), PHALANX_USAGE);
  options.release = PHALANX_RELEASE_WIPED_ON_FAILURE;
  phalanx_device_aead* on_device = nullptr;
  EXPECT_EQ(phalanx_device_aead_new(&on_device, "aes-128-gcm", key.data(), 16, &options, nullptr), PHALANX_USAGE);
  EXPECT_NE(std::string(phalanx_last_error()).find("when it is verified"), std::string::npos) << phalanx_last_error();
}

// What the caller says is what the call compares, and both numbers are said.
TEST(CInterface, SizesOfWhatIsWritten) {
  const Buffer key(32, 1), nonce(12, 2), in(50, 3);
  Buffer text(91), out(51), tag(17);
  const auto expect_said = [](int code, const char* one, const char* other) {
    EXPECT_EQ(code, PHALANX_USAGE);
    EXPECT_NE(std::strstr(phalanx_last_error(), one), nullptr) << phalanx_last_error();
    EXPECT_NE(std::strstr(phalanx_last_error(), other), nullptr) << phalanx_last_error();
  };
  const auto gcm = new_aead("aes-256-gcm", key);
  const auto xaes = new_aead("xaes-256-gcm", key);
  for (const std::size_t size : {49, 51}) {
    const std::string said = std::to_string(size) + " bytes";
    expect_said(phalanx_aead_seal(gcm.get(), nonce.data(), 12, nullptr, 0, in.data(), 50, text.data(), size, tag.data(), 16),
                "50 bytes", said.c_str());
    expect_said(phalanx_aead_open(gcm.get(), nonce.data(), 12, nullptr, 0, in.data(), 50, text.data(), size, tag.data(), 16),
                "50 bytes", said.c_str());
    expect_said(phalanx_aead_open_with_leading_nonce(xaes.get(), nullptr, 0, text.data(), 90, out.data(), size), "90 bytes",
                said.c_str());
  }
  for (const std::size_t size : {0, 15, 17}) {
    const std::string said = std::to_string(size) + " were given";
    expect_said(phalanx_aead_seal(gcm.get(), nonce.data(), 12, nullptr, 0, in.data(), 50, text.data(), 50, tag.data(), size),
                "16 bytes", said.c_str());
    expect_said(phalanx_aead_open(gcm.get(), nonce.data(), 12, nullptr, 0, in.data(), 50, text.data(), 50, tag.data(), size),
                "16 bytes", said.c_str());
  }
  for (const std::size_t size : {50, 89, 91}) {
    expect_said(phalanx_aead_seal_with_new_nonce(xaes.get(), nullptr, 0, in.data(), 50, text.data(), size), "50 bytes",
                (std::to_string(size) + " bytes").c_str());
  }
  EXPECT_EQ(text, Buffer(91)) << "nothing was written";
  EXPECT_EQ(out, Buffer(51));
  EXPECT_EQ(tag, Buffer(17));
}

TEST(CInterface, BatchesOfSealedMessages) {
  Random random(43);
  const Buffer key = random.bytes(16);
  const Buffer own_key = random.bytes(16);
  const auto gcm = new_aead("aes-128-gcm", key);
  const Buffer nonce = random.bytes(12);
  const Buffer in = random.bytes(40);
  Buffer texts[2] = {Buffer(40), Buffer(33)};
  Buffer tags[2] = {Buffer(16), Buffer(16)};
  phalanx_aead_message messages[] = {PHALANX_AEAD_MESSAGE_INIT, PHALANX_AEAD_MESSAGE_INIT};
  for (int i = 0; i < 2; ++i) {
    messages[i].key = i == 0 ? nullptr : own_key.data();
    messages[i].nonce = nonce.data();
    messages[i].nonce_bytes = 12;
    messages[i].in = in.data();
    messages[i].in_bytes = texts[i].size();
    messages[i].out = texts[i].data();
    messages[i].out_bytes = texts[i].size();
    messages[i].tag = tags[i].data();
    messages[i].tag_bytes = 16;
  }
  ASSERT_EQ(phalanx_aead_seal_batch(gcm.get(), messages, 2), PHALANX_OK) << phalanx_last_error();
  for (int i = 0; i < 2; ++i) {
    Buffer text(texts[i].size()), tag(16);
    Aead("aes-128-gcm", i == 0 ? key : own_key).seal(nonce, {}, Bytes(in).first(text.size()), text, tag);
    EXPECT_EQ(texts[i], text);
    EXPECT_EQ(tags[i], tag);
    messages[i].in = texts[i].data();
  }
  tags[1][0] ^= 1;
  EXPECT_EQ(phalanx_aead_open_batch(gcm.get(), messages, 2), PHALANX_AUTHENTICATION);
  EXPECT_EQ(messages[0].is_authentic, 1);
  EXPECT_EQ(messages[1].is_authentic, 0);
  EXPECT_EQ(texts[0], in);
}

TEST(CInterface, SealsUnderRandomNonces) {
  Random random(44);
  const Buffer key = random.bytes(32), own_key = random.bytes(32), in = random.bytes(50);
  const auto xaes = new_aead("xaes-256-gcm", key);
  Buffer sealed(50 + PHALANX_NONCE_AND_TAG_BYTES), out(50);
  ASSERT_EQ(phalanx_aead_seal_with_new_nonce(xaes.get(), in.data(), 9, in.data(), 50, sealed.data(), 90), PHALANX_OK);
  Aead("xaes-256-gcm", key).open_with_leading_nonce(Bytes(in).first(9), sealed, out);
  EXPECT_EQ(out, in);
  out = Buffer(50, 1);
  EXPECT_EQ(phalanx_aead_open_with_leading_nonce(xaes.get(), in.data(), 8, sealed.data(), 90, out.data(), 50),
            PHALANX_AUTHENTICATION);
  EXPECT_EQ(out, Buffer(50, 1));
  EXPECT_EQ(phalanx_aead_open_with_leading_nonce(xaes.get(), in.data(), 9, sealed.data(), 90, out.data(), 50), PHALANX_OK);
  EXPECT_EQ(out, in);
  EXPECT_EQ(phalanx_aead_open_with_leading_nonce(xaes.get(), nullptr, 0, sealed.data(), 39, nullptr, 0), PHALANX_TRUNCATED);
  const auto gcm = new_aead("aes-256-gcm", key);
  EXPECT_EQ(phalanx_aead_seal_with_new_nonce(gcm.get(), nullptr, 0, in.data(), 50, sealed.data(), 90), PHALANX_USAGE);

  Buffer others[3] = {Buffer(90), Buffer(50), Buffer(40)}, outs[3] = {Buffer(50), Buffer(10), Buffer()};
  phalanx_aead_leading_nonce_message messages[3];
  for (int i = 0; i < 3; ++i) {
    messages[i] = PHALANX_AEAD_LEADING_NONCE_MESSAGE_INIT;
    messages[i].key = i == 1 ? own_key.data() : nullptr;
    messages[i].in = in.data();
    messages[i].in_bytes = outs[i].size();
    messages[i].out = others[i].data();
    messages[i].out_bytes = others[i].size();
  }
  ASSERT_EQ(phalanx_aead_seal_with_new_nonce_batch(xaes.get(), messages, 3), PHALANX_OK) << phalanx_last_error();
  for (int i = 0; i < 3; ++i) {
    messages[i].in = others[i].data();
    messages[i].in_bytes = others[i].size();
    messages[i].out = outs[i].data();
    messages[i].out_bytes = outs[i].size();
  }
  EXPECT_EQ(phalanx_aead_open_with_leading_nonce_batch(xaes.get(), messages, 3), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(outs[0], in);
  EXPECT_TRUE(std::equal(outs[1].begin(), outs[1].end(), in.begin()));
  messages[1].in_bytes = 30;
  EXPECT_EQ(phalanx_aead_open_with_leading_nonce_batch(xaes.get(), messages, 3), PHALANX_AUTHENTICATION);
  EXPECT_EQ(messages[0].is_authentic, 1);
  EXPECT_EQ(messages[1].is_authentic, 0);
  EXPECT_EQ(messages[2].is_authentic, 1);
}

// Of a program that is newer than the library.
TEST(CInterface, StructsMayGrow) {
  phalanx_facts facts = PHALANX_FACTS_INIT;
  ASSERT_EQ(phalanx_facts_of("3DES-cbc", &facts), PHALANX_OK);
  EXPECT_STREQ(facts.name, "des-ede3-cbc");
  EXPECT_EQ(facts.key_bytes, 24U);
  EXPECT_EQ(facts.iv_bytes, 8U);
  EXPECT_EQ(facts.decrypts_parts, 1);
  std::size_t index = 0;
  while (phalanx_facts_at(index, &facts) == PHALANX_OK) ++index;
  EXPECT_EQ(index, all_cipher_facts().size());
  for (const std::size_t size : {std::size_t{0}, sizeof facts - 1}) {
    facts.struct_bytes = size;
    EXPECT_EQ(phalanx_facts_of("des-cbc", &facts), PHALANX_USAGE) << "there was no smaller version";
  }

  const Buffer key(16);
  struct {
    phalanx_engine_options options;
    std::uint64_t later;
  } newer = {PHALANX_ENGINE_OPTIONS_INIT, 0};
  newer.options.struct_bytes = sizeof newer;
  phalanx_cipher* cipher = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&cipher, "aes-128-ctr", key.data(), 16, nullptr, &newer.options), PHALANX_OK);
  phalanx_cipher_free(cipher);
  newer.later = 1;
  EXPECT_EQ(phalanx_cipher_new(&cipher, "aes-128-ctr", key.data(), 16, nullptr, &newer.options), PHALANX_USAGE);
  newer.options.struct_bytes = sizeof newer.options - 1;
  EXPECT_EQ(phalanx_cipher_new(&cipher, "aes-128-ctr", key.data(), 16, nullptr, &newer.options), PHALANX_USAGE);
}

// As a caller's headers of a later version have it.
template <class Message>
struct GrownMessage {
  Message message;
  std::uint64_t later;
};

TEST(CInterface, MessagesOfABatchMayGrow) {
  Random random(45);
  const Buffer key = random.bytes(16), iv = random.bytes(16), in = random.bytes(40);
  const auto ctr = new_cipher("aes-128-ctr", key);
  Buffer texts[2] = {Buffer(40), Buffer(33)};
  GrownMessage<phalanx_message> messages[2] = {
      {{sizeof(*messages), nullptr, iv.data(), in.data(), texts[0].data(), 40, nullptr}, 0},
      {{sizeof(*messages), nullptr, iv.data(), in.data(), texts[1].data(), 33, nullptr}, 0}};
  ASSERT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), &messages->message, 2), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(texts[0], crypt(Cipher("aes-128-ctr", key), Direction::encrypt, iv, in));
  EXPECT_EQ(texts[1], Buffer(texts[0].begin(), texts[0].begin() + 33));
  messages[1].later = 1;
  EXPECT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), &messages->message, 2), PHALANX_USAGE)
      << "what this version does not have";
  messages[1].later = 0;
  for (const std::size_t size : {std::size_t{0}, sizeof(phalanx_message) - 1, std::size_t{4097}, SIZE_MAX}) {
    messages[0].message.struct_bytes = messages[1].message.struct_bytes = size;
    EXPECT_EQ(phalanx_cipher_decrypt_batch(ctr.get(), &messages->message, 2), PHALANX_USAGE) << size;
  }
}

TEST(CInterface, MessagesOfABatchHaveOneSize) {
  const Buffer key(16, 1), iv(16, 2), nonce(12, 3);
  Buffer text(16, 4), tag(16);
  const auto ctr = new_cipher("aes-128-ctr", key);
  const auto gcm = new_aead("aes-128-gcm", key);
  phalanx_message messages[] = {PHALANX_MESSAGE_INIT, PHALANX_MESSAGE_INIT};
  phalanx_aead_message sealed[] = {PHALANX_AEAD_MESSAGE_INIT, PHALANX_AEAD_MESSAGE_INIT};
  messages[0].iv = messages[1].iv = iv.data();
  sealed[0].is_authentic = sealed[1].is_authentic = 7;
  for (const std::size_t size : {sizeof(phalanx_message) + 8, std::size_t{0}, std::size_t{8}}) {
    messages[1].struct_bytes = sealed[1].struct_bytes = size;
    EXPECT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), messages, 2), PHALANX_USAGE);
    EXPECT_STREQ(phalanx_last_error(),
                 ("element 1 of the batch has the struct_bytes " + std::to_string(size) + ", and the first has " +
                  std::to_string(sizeof(phalanx_message)) + ": begin each with PHALANX_MESSAGE_INIT")
                     .c_str());
    EXPECT_EQ(phalanx_aead_open_batch(gcm.get(), sealed, 2), PHALANX_USAGE);
    EXPECT_EQ(sealed[1].is_authentic, 7) << "nothing is written to what is no message";
  }
  messages[1].struct_bytes = sizeof(phalanx_message);
  EXPECT_EQ(phalanx_cipher_encrypt_batch(ctr.get(), messages, 2), PHALANX_OK) << phalanx_last_error();
}

TEST(CInterface, MessagesThatGrewGetTheirVerdicts) {
  const Buffer key(16, 1), nonce(12, 2), in(20, 3);
  const auto gcm = new_aead("aes-128-gcm", key);
  Buffer text(20), tags[2] = {Buffer(16), Buffer(16)};
  GrownMessage<phalanx_aead_message> messages[2] = {};
  for (int i = 0; i < 2; ++i) {
    Aead("aes-128-gcm", key).seal(nonce, {}, in, text, tags[i]);
    messages[i].message = {sizeof(*messages), nullptr, nonce.data(),   12, nullptr, 0, text.data(), 20,
                           text.data(),       20,      tags[i].data(), 16, 7};
  }
  Buffer other = text;
  messages[1].message.in = other.data();
  messages[1].message.out = other.data();
  tags[0][5] ^= 1;
  EXPECT_EQ(phalanx_aead_open_batch(gcm.get(), &messages->message, 2), PHALANX_AUTHENTICATION);
  EXPECT_EQ(messages[0].message.is_authentic, 0);
  EXPECT_EQ(messages[1].message.is_authentic, 1);
  EXPECT_EQ(messages[1].later, 0U);
  EXPECT_EQ(other, in);
}

TEST(CInterface, FailuresAreNumbersWithALine) {
  const Buffer key(8);
  phalanx_cipher* none = nullptr;
  EXPECT_EQ(phalanx_cipher_new(&none, "des-cbc", key.data(), 7, nullptr, nullptr), PHALANX_USAGE);
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(std::strstr(phalanx_last_error(), "8 bytes"), nullptr) << phalanx_last_error();
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.engine = "nonsense";
  EXPECT_EQ(phalanx_cipher_new(&none, "des-cbc", key.data(), 8, nullptr, &options), PHALANX_USAGE);
  EXPECT_NE(std::strstr(phalanx_last_error(), "nonsense"), nullptr);
  const auto cbc = new_cipher("des-cbc", key);
  Buffer data(9);
  EXPECT_EQ(phalanx_cipher_decrypt(cbc.get(), key.data(), data.data(), data.data(), 9, nullptr), PHALANX_TRUNCATED);
  EXPECT_EQ(phalanx_cipher_encrypt(cbc.get(), nullptr, data.data(), data.data(), 8, nullptr), PHALANX_USAGE);
  EXPECT_NE(std::strstr(phalanx_last_error(), "iv is null"), nullptr);
  EXPECT_EQ(phalanx_last_error_errno(), 0);
  EXPECT_STREQ(phalanx_last_error_name(), "");
  EXPECT_EQ(phalanx_last_error_offset(), PHALANX_NO_OFFSET);
  phalanx_cipher_free(nullptr);
}

TEST(CInterface, ListsEnginesAndTestsThem) {
  std::size_t index = 0;
  const char* name = nullptr;
  const char* description = nullptr;
  const char* reason = nullptr;
  bool found_scalar = false;
  for (; phalanx_engine_at(index, &name, &description, &reason) == PHALANX_OK; ++index) {
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
