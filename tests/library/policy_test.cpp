// The policy: every cipher in every mode, in both directions, with and without permission, is taken or is refused by just
// this code. In C++, and the same through the C interface.
#include <gtest/gtest.h>
#include <phalanx/phalanx.h>

#include <functional>
#include <optional>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr std::optional<ErrorCode> taken;

// What a call threw, or that it threw nothing.
std::optional<ErrorCode> outcome(const std::function<void()>& call) {
  try {
    call();
    return taken;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    if (error.code() == ErrorCode::policy) {
      EXPECT_NE(std::string(error.what()).find(": "), std::string::npos) << "what to do is not said: " << error.what();
    }
    return error.code();
  }
}
std::optional<ErrorCode> outcome(int result) { return result == PHALANX_OK ? taken : std::optional(ErrorCode{result}); }

std::string text_of(std::optional<ErrorCode> code) {
  return code == taken ? "taken" : "code " + std::to_string(static_cast<int>(*code));
}

// A row of the table, as what it prints when it is wrong.
struct Row {
  std::string name;
  std::string call;
  bool allowed;

  void expect(std::optional<ErrorCode> found, std::optional<ErrorCode> expected) const {
    EXPECT_EQ(found, expected) << name << ", " << call << (allowed ? ", allowed" : "") << ": " << text_of(found)
                               << ", and it should be " << text_of(expected);
  }
};

// Written out by name, not asked of the library.
bool is_legacy_name(const CipherFacts& facts) {
  for (const char* cipher : {"des", "2des", "des-ede", "des-ede3"}) {
    if (facts.cipher == cipher) return true;
  }
  return facts.mode == "ecb";
}

// The two halves of a key of XTS differ.
Buffer key_for(const CipherFacts& facts) {
  Buffer key(facts.key_bytes, 5);
  if (facts.mode == "xts") key.front() = 6;
  return key;
}

// What a Cipher does in a mode: 32 bytes, which are whole blocks of every cipher.
void check_cpp(const CipherFacts& facts, bool allowed) {
  const EngineOptions options{.engine = "cpu:scalar", .num_threads = 1};
  const CipherPolicy policy{.allow_legacy = allowed};
  const Cipher cipher(facts.name, key_for(facts), options, policy);  // which is never refused
  const std::optional<ErrorCode> encrypting = is_legacy_name(facts) && !allowed ? std::optional(ErrorCode::policy) : taken;
  Buffer iv(facts.iv_bytes), text(32);
  const auto expect = [&](const char* call, const std::function<void()>& run, std::optional<ErrorCode> expected) {
    Row{facts.name, call, allowed}.expect(outcome(run), expected);
  };
  expect(
      "encrypt", [&] { (void)cipher.encrypt(iv, text, text); }, encrypting);
  expect(
      "decrypt", [&] { (void)cipher.decrypt(iv, text, text); }, taken);
  const std::optional<ErrorCode> no_parts = ErrorCode::usage;
  expect(
      "encrypt_part", [&] { cipher.encrypt_part(iv, 0, text, text); },
      encrypting != taken || facts.encrypts_parts ? encrypting : no_parts);
  expect(
      "decrypt_part", [&] { cipher.decrypt_part(iv, 0, text, text); }, facts.decrypts_parts ? taken : no_parts);
  const Message messages[] = {{iv, text, text, {}, nullptr}};
  expect(
      "encrypt_batch", [&] { cipher.encrypt_batch(messages); }, encrypting);
  expect(
      "decrypt_batch", [&] { cipher.decrypt_batch(messages); }, taken);
}

phalanx_engine_options scalar_in_c() {
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.engine = "cpu:scalar";
  options.num_threads = 1;
  return options;
}

phalanx_cipher_policy policy_in_c(bool allowed) {
  phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  policy.allow_legacy = allowed ? 1 : 0;
  return policy;
}

void check_c(const CipherFacts& facts, bool allowed) {
  const phalanx_engine_options options = scalar_in_c();
  const phalanx_cipher_policy policy = policy_in_c(allowed);
  phalanx_cipher* cipher = nullptr;
  const Buffer key = key_for(facts);
  ASSERT_EQ(phalanx_cipher_new(&cipher, facts.name.c_str(), key.data(), key.size(), &policy, &options), PHALANX_OK);
  const std::optional<ErrorCode> encrypting = is_legacy_name(facts) && !allowed ? std::optional(ErrorCode::policy) : taken;
  const std::optional<ErrorCode> no_parts = ErrorCode::usage;
  Buffer iv(16), text(32);
  std::uint8_t* const t = text.data();
  const auto expect = [&](const char* call, int found, std::optional<ErrorCode> expected) {
    Row{facts.name, std::string(call) + " in C", allowed}.expect(outcome(found), expected);
  };
  expect("encrypt", phalanx_cipher_encrypt(cipher, iv.data(), t, t, 32, nullptr), encrypting);
  expect("decrypt", phalanx_cipher_decrypt(cipher, iv.data(), t, t, 32, nullptr), taken);
  expect("encrypt_part", phalanx_cipher_encrypt_part(cipher, iv.data(), 0, t, t, 32),
         encrypting != taken || facts.encrypts_parts ? encrypting : no_parts);
  expect("decrypt_part", phalanx_cipher_decrypt_part(cipher, iv.data(), 0, t, t, 32),
         facts.decrypts_parts ? taken : no_parts);
  const phalanx_message message{sizeof(phalanx_message), nullptr, iv.data(), t, t, 32, nullptr};
  expect("encrypt_batch", phalanx_cipher_encrypt_batch(cipher, &message, 1), encrypting);
  expect("decrypt_batch", phalanx_cipher_decrypt_batch(cipher, &message, 1), taken);
  phalanx_cipher_free(cipher);
}

// XTS, and so no legacy: the permission changes nothing.
void check_sectors(const CipherFacts& facts, bool allowed) {
  const Buffer key = key_for(facts);
  Buffer text(32);
  const SectorCipher cpp(facts.name, key, {.engine = "cpu:scalar", .num_threads = 1}, {.allow_legacy = allowed});
  const Row row{facts.name, "by sectors", allowed};
  row.expect(outcome([&] { cpp.encrypt(0, 1, 16, text, text); }), taken);
  row.expect(outcome([&] { cpp.decrypt(0, 1, 16, text, text); }), taken);
  const phalanx_engine_options options = scalar_in_c();
  const phalanx_cipher_policy policy = policy_in_c(allowed);
  phalanx_sector_cipher* c = nullptr;
  ASSERT_EQ(phalanx_sector_cipher_new(&c, facts.name.c_str(), key.data(), key.size(), &policy, &options), PHALANX_OK);
  row.expect(outcome(phalanx_sector_cipher_encrypt(c, 0, 1, 16, text.data(), text.data(), 32)), taken);
  row.expect(outcome(phalanx_sector_cipher_decrypt(c, 0, 1, 16, text.data(), text.data(), 32)), taken);
  phalanx_sector_cipher_free(c);
}

TEST(Policy, OfEveryCipherInEveryMode) {
  std::size_t num_legacy = 0;
  for (const CipherFacts& facts : all_cipher_facts()) {
    if (facts.mode == "gcm") continue;
    num_legacy += is_legacy_name(facts) ? 1 : 0;
    for (const bool allowed : {false, true}) {
      check_cpp(facts, allowed);
      check_c(facts, allowed);
      if (facts.mode == "xts") check_sectors(facts, allowed);
    }
  }
  EXPECT_EQ(num_legacy, 4 * 5 + 9U) << "of 4 ciphers all modes, and of the others ECB";
}

TEST(Policy, SaysWhatToDo) {
  Buffer text(16);
  const auto said = [&](const char* name, std::size_t key_bytes) -> std::string {
    try {
      (void)Cipher(name, Buffer(key_bytes)).encrypt(Buffer(cipher_facts(name).iv_bytes), text, text);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(said("3des-cbc", 24),
            "des-ede3-cbc is a legacy cipher, for reading old data: choose AES, or set allow_legacy to encrypt with it");
  EXPECT_EQ(said("aes-128-ecb", 16),
            "aes-128-ecb shows which blocks are equal: choose another mode, or set allow_legacy to encrypt with it");
}

// Nothing to encrypt is no reason to let it pass; and what is refused changes nothing.
TEST(Policy, RefusesBeforeItLooksAtTheMessage) {
  const Cipher cipher("des-ede3-cbc", Buffer(24));
  Buffer iv(8), text(24, 0x5a);
  EXPECT_EQ(outcome([&] { (void)cipher.encrypt(iv, {}, {}); }), ErrorCode::policy);
  EXPECT_EQ(outcome([&] { (void)cipher.encrypt({}, text, text); }), ErrorCode::policy);
  EXPECT_EQ(outcome([&] { cipher.encrypt_batch({}); }), ErrorCode::policy);
  EXPECT_EQ(outcome([&] { (void)cipher.encrypt(iv, text, text); }), ErrorCode::policy);
  EXPECT_EQ(text, Buffer(24, 0x5a));
  EXPECT_EQ(outcome([&] { cipher.decrypt_batch({}); }), taken);
}

// A message that names a Cipher takes its key from there, and the permission from the batch's.
TEST(Policy, OfABatchIsItsCiphers) {
  const Buffer key(8), iv(8);
  const Cipher allowed("des-cbc", key, {}, {.allow_legacy = true}), refused("des-cbc", key);
  Buffer text(16);
  const Message by_refused[] = {{iv, text, text, {}, &refused}}, by_allowed[] = {{iv, text, text, {}, &allowed}};
  EXPECT_EQ(outcome([&] { allowed.encrypt_batch(by_refused); }), taken);
  EXPECT_EQ(outcome([&] { refused.encrypt_batch(by_allowed); }), ErrorCode::policy);
  EXPECT_EQ(outcome([&] { refused.decrypt_batch(by_allowed); }), taken);
}

std::vector<const CipherFacts*> gcm_facts() {
  std::vector<const CipherFacts*> all;
  for (const CipherFacts& facts : all_cipher_facts()) {
    if (facts.mode == "gcm" && facts.iv_bytes == 12) all.push_back(&facts);
  }
  return all;
}

struct AeadCase {
  std::size_t nonce_bytes;
  std::size_t tag_bytes;
  bool any_nonce_size;
  [[nodiscard]] std::optional<ErrorCode> nonce() const {
    const bool fits = nonce_bytes == 12 || (any_nonce_size && nonce_bytes != 0);
    return fits ? taken : std::optional(ErrorCode::usage);
  }
  [[nodiscard]] std::optional<ErrorCode> sealing() const {
    return tag_bytes == 16 ? nonce() : std::optional(ErrorCode::policy);
  }
  [[nodiscard]] std::optional<ErrorCode> opening() const { return nonce(); }
};

std::vector<AeadCase> aead_cases() {
  std::vector<AeadCase> cases;
  for (const std::size_t nonce_bytes : {0, 1, 8, 11, 12, 13, 16, 128}) {
    for (std::size_t tag_bytes = 12; tag_bytes <= 16; ++tag_bytes) {
      for (const bool any : {false, true}) cases.push_back({nonce_bytes, tag_bytes, any});
    }
  }
  return cases;
}

// What is opened was sealed so, with a nonce of any size, and its tag cut.
struct SealedText {
  Buffer nonce, text = Buffer(20), tag = Buffer(16);
  SealedText(const CipherFacts& facts, const Buffer& key, std::size_t nonce_bytes) : nonce(nonce_bytes, 3) {
    if (nonce_bytes != 0) Aead(facts.name, key, {}, {.any_nonce_size = true}).seal(nonce, {}, Buffer(20), text, tag);
  }
};

void check_aead_cpp(const CipherFacts& facts, const AeadCase& row) {
  const Buffer key(facts.key_bytes, 5);
  const Aead aead(facts.name, key, {}, {.tag_bytes = row.tag_bytes, .any_nonce_size = row.any_nonce_size});
  SealedText sealed(facts, key, row.nonce_bytes);
  Buffer out(20), tag(row.tag_bytes);
  const Bytes cut = Bytes(sealed.tag).first(row.tag_bytes);
  const Row named{
      facts.name + ", a nonce of " + std::to_string(row.nonce_bytes) + " and a tag of " + std::to_string(row.tag_bytes), "",
      row.any_nonce_size};
  named.expect(outcome([&] { aead.seal(sealed.nonce, {}, Buffer(20), out, tag); }), row.sealing());
  named.expect(outcome([&] { aead.open(sealed.nonce, {}, sealed.text, out, cut); }), row.opening());
  const Buffer plain(20);
  const MessageToSeal to_seal[] = {{sealed.nonce, {}, plain, out, tag, {}}};
  named.expect(outcome([&] { aead.seal_batch(to_seal); }), row.sealing());
  MessageToOpen to_open[] = {{sealed.nonce, {}, sealed.text, out, cut, {}}};
  named.expect(outcome([&] { EXPECT_TRUE(aead.open_batch(to_open)); }), row.opening());
}

void check_aead_c(const CipherFacts& facts, const AeadCase& row) {
  const Buffer key(facts.key_bytes, 5);
  phalanx_aead_options options = PHALANX_AEAD_OPTIONS_INIT;
  options.tag_bytes = row.tag_bytes;
  options.any_nonce_size = row.any_nonce_size ? 1 : 0;
  phalanx_aead* aead = nullptr;
  ASSERT_EQ(phalanx_aead_new(&aead, facts.name.c_str(), key.data(), key.size(), &options, nullptr), PHALANX_OK);
  SealedText sealed(facts, key, row.nonce_bytes);
  Buffer plain(20), out(20), tag(16);
  const Row named{
      facts.name + " in C, a nonce of " + std::to_string(row.nonce_bytes) + " and a tag of " + std::to_string(row.tag_bytes),
      "", row.any_nonce_size};
  const std::uint8_t* const nonce = sealed.nonce.data();
  named.expect(outcome(phalanx_aead_seal(aead, nonce, row.nonce_bytes, nullptr, 0, plain.data(), 20, out.data(), 20,
                                         tag.data(), row.tag_bytes)),
               row.sealing());
  named.expect(outcome(phalanx_aead_open(aead, nonce, row.nonce_bytes, nullptr, 0, sealed.text.data(), 20, out.data(), 20,
                                         sealed.tag.data(), row.tag_bytes)),
               row.opening());
  phalanx_aead_message message{sizeof(phalanx_aead_message),
                               nullptr,
                               nonce,
                               row.nonce_bytes,
                               nullptr,
                               0,
                               plain.data(),
                               20,
                               out.data(),
                               20,
                               tag.data(),
                               row.tag_bytes,
                               0};
  named.expect(outcome(phalanx_aead_seal_batch(aead, &message, 1)), row.sealing());
  message.in = sealed.text.data();
  message.tag = sealed.tag.data();
  named.expect(outcome(phalanx_aead_open_batch(aead, &message, 1)), row.opening());
  phalanx_aead_free(aead);
}

TEST(Policy, OfNoncesAndTags) {
  for (const CipherFacts* facts : gcm_facts()) {
    for (const AeadCase& row : aead_cases()) {
      check_aead_cpp(*facts, row);
      check_aead_c(*facts, row);
    }
  }
}

TEST(Policy, OfAnAeadSaysWhatToDo) {
  Buffer text(16), tag(12);
  const auto said = [&](const Aead& aead, std::size_t nonce_bytes) -> std::string {
    try {
      aead.seal(Buffer(nonce_bytes), {}, text, text, MutableBytes(tag).first(aead.tag_bytes() == 12 ? 12 : 0));
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(said(Aead("aes-128-gcm", Buffer(16), {}, {.tag_bytes = 12}), 12),
            "this Aead has tags of 12 bytes, to open what has such: seal with an Aead of 16 bytes");
  EXPECT_EQ(said(Aead("aes-128-gcm", Buffer(16)), 16),
            "the nonce of aes-128-gcm is 12 bytes, and 16 bytes were given: set any_nonce_size where it must be so");
}

}  // namespace
}  // namespace phalanx::test
