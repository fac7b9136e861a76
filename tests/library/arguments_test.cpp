// Arguments that do not fit: the code and the line that says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <phalanx/device_aead.hpp>

#include "engine/engines/cpu/instruction_sets.hpp"
#include "engine/library/names/dm_crypt_name.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

// The error that `run` throws: its code, and its text holds each of these.
template <class Run>
void expect_error(ErrorCode code, std::initializer_list<const char*> texts, const Run& run) {
  try {
    run();
    ADD_FAILURE() << "no error; expected one with: " << *texts.begin();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const char* text : texts) EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

constexpr auto usage = ErrorCode::usage;
constexpr auto truncated = ErrorCode::truncated;

const CipherPolicy legacy{.allow_legacy = true};

// Of halves that differ, as those of a key of XTS must.
const Buffer xts_key = [] {
  Buffer key(32);
  key.front() = 1;
  return key;
}();

TEST(Arguments, Names) {
  const Buffer key(16);
  expect_error(usage, {"'rc4'", "unknown", "des-ede3", "twofish-256", "cbc"}, [&] { Cipher("rc4", key); });
  expect_error(usage, {"'AES-128'", "lacks a mode", "'aes-128-cbc'", "ecb, cbc, ctr, cfb, ofb, xts, gcm"},
               [&] { Cipher("AES-128", key); });
  expect_error(usage, {"mode 'ccm'", "aes-128-ccm", "gcm"}, [&] { Cipher("aes-128-ccm", key); });
  expect_error(usage, {"xts", "16-byte blocks", "des-ede"}, [&] { Cipher("des-ede-xts", key); });
  expect_error(usage, {"gcm", "2des"}, [&] { Cipher("2des-gcm", key); });
  expect_error(usage, {"''"}, [&] { Cipher("", key); });
  EXPECT_EQ(Cipher("AES-128-Cbc", key).facts().name, "aes-128-cbc");
  EXPECT_EQ(Cipher("3DES-ctr", Buffer(24)).facts().name, "des-ede3-ctr");
}

TEST(Arguments, NamesOfOthersAreExplained) {
  const Buffer key(24);
  const auto expect_hint = [&](const char* name, const char* words) {
    expect_error(usage, {name, words}, [&] { Cipher(name, key); });
  };
  expect_hint("des3", "'des3' is OpenSSL's name: here it is 'des-ede3-cbc'");
  expect_hint("AES256", "'AES256' is OpenSSL's name: here it is 'aes-256-cbc'");
  expect_hint("AES-GCM", "(did you mean aes-256-gcm?)");
  expect_hint("aes_192/CTR", "(did you mean aes-192-ctr?)");
  expect_hint("DESede/ECB/NoPadding", "(did you mean des-ede3-ecb?)");
  expect_hint("des3-cbc", "(did you mean des-ede3-cbc?)");
  expect_hint("rijndael-128", "(did you mean aes-128?)");
  expect_hint("aes-256-cbd", "(did you mean aes-256-cbc?)");
  expect_hint("serpent-xts-plain64",
              "(it is dm-crypt's name: it means serpent-256-xts under a key of 64 bytes, and serpent-128-xts under");
  expect_hint("aes-cbc-essiv:sha256", "(it is dm-crypt's name, and has no other here)");
  for (const char* other : {"rot13", "aes-257-cbc", "aes-256-siv", "AES-CCM", "blowfish"}) {
    expect_hint(other, "is unknown: ");
  }
}

TEST(Arguments, NamesOfDmCryptAreTakenApart) {
  const auto parts = [](const char* name) {
    const auto found = parse_dm_crypt_name(name);
    return found ? found->cipher + " " + found->mode + " " + found->iv + (found->is_ours() ? " ours" : "") : "none";
  };
  EXPECT_EQ(parts("serpent-xts-plain64"), "serpent xts plain64 ours");
  EXPECT_EQ(parts("AES-XTS-plain"), "aes xts plain ours");
  EXPECT_EQ(parts("aes-256-xts-plain64"), "aes-256 xts plain64 ours");
  EXPECT_EQ(parts("capi:xts(twofish)-plain64"), "twofish xts plain64 ours");
  EXPECT_EQ(parts("aes-cbc-essiv:sha256"), "aes cbc essiv:sha256");
  EXPECT_EQ(parts("camellia-xts-plain64"), "camellia xts plain64");
  EXPECT_EQ(parts("des-xts-plain64"), "des xts plain64");
  for (const char* name :
       {"aes-256-xts", "aes-xts", "plain64", "-xts-plain64x", "", "-", "--", "des-ede3-cbc", "xts-plain64"}) {
    EXPECT_EQ(parts(name), "none") << name;
  }
}

// What somebody else's name is near to would give garbage, and end well.
TEST(Arguments, NamesOfOthersLeadToNoOtherCipherOrMode) {
  const Buffer key(24);
  const char* const foreign[] = {
      "aes-256-cfb8",  "aes-256-cfb1",    "aes-128-CFB-8", "AES/CFB8/NoPadding", "des-cfb1",        "des-ede3-cfb8",
      "aes-256-ccm",   "aes-256-pcbc",    "aes-256-cts",   "aes-256-ocb",        "aes-128-ige",     "aes-256-siv",
      "aes-256-kw",    "aes-256-gcm-siv", "rijndael-256",  "rijndael-192",       "rijndael256-cbc", "desx-cbc",
      "desx",          "bf-cbc",          "seed-cbc",      "camellia-256-cbc",   "aria-256-ctr",    "cast5-cbc",
      "sm4-cbc",       "rc2-cbc",         "aes-256-essiv", "xtea-cbc",           "aes-256-wrap",    "idea-cbc",
      "aes-256-hctr2", "aes-256-cbc-cs1", "aes-256-lrw",   "blowfish-cbc",       "chacha20"};
  for (const char* name : foreign) {
    try {
      Cipher(name, key);
      ADD_FAILURE() << name << " is taken";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("did you mean"), std::string::npos) << name << ": " << error.what();
    }
  }
  const std::pair<const char*, const char*> same[] = {{"tdes", "(did you mean des-ede3?)"},
                                                      {"aes", "(did you mean aes-256?)"},
                                                      {"tdes-cbc", "(did you mean des-ede3-cbc?)"},
                                                      {"desede-cbc", "(did you mean des-ede3-cbc?)"},
                                                      {"AES/CFB128/NoPadding", "(did you mean aes-256-cfb?)"},
                                                      {"aes-256-cbc128", "(did you mean aes-256-cbc?)"},
                                                      {"aes-256-gmc", "(did you mean aes-256-gcm?)"},
                                                      {"serpant-256-ctr", "(did you mean serpent-256-ctr?)"},
                                                      {"des-ede-cdc", "(did you mean des-ede-cbc?)"},
                                                      {"aes-256-cfc", "is unknown: "}};  // two are as near
  for (const auto& [name, words] : same) expect_error(usage, {name, words}, [&, &other = name] { Cipher(other, key); });
}

TEST(Arguments, TextIsBytes) {
  const std::string text("a\0b", 3);
  const Bytes bytes = bytes_of(text);
  EXPECT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes.data(), reinterpret_cast<const std::uint8_t*>(text.data()));
  EXPECT_EQ(bytes_of("passphrase").size(), 10U);
}

TEST(Arguments, TypesTakeTheirModesOnly) {
  expect_error(usage, {"aes-128-gcm", "Aead"}, [] { Cipher("aes-128-gcm", Buffer(16)); });
  expect_error(usage, {"aes-128-ctr", "gcm"}, [] { Aead("aes-128-ctr", Buffer(16)); });
  expect_error(usage, {"xts", "aes-128-ecb"}, [] { SectorCipher("aes-128-ecb", Buffer(16)); });
  expect_error(usage, {"gcm"}, [] { DeviceCipher("aes-128-gcm", Buffer(16)); });
  expect_error(usage, {"cpu", "cuda"}, [] { DeviceCipher("aes-128-ctr", Buffer(16), {"cpu", 1}); });
  expect_error(usage, {"aes-128-ctr", "gcm"}, [] { DeviceAead("aes-128-ctr", Buffer(16)); });
  expect_error(usage, {"xaes-256-gcm", "16 bytes"}, [] { DeviceAead("xaes-256-gcm", Buffer(32), {}, {.tag_bytes = 15}); });
  expect_error(usage, {"cpu", "cuda"}, [] { DeviceAead("aes-128-gcm", Buffer(16), {"cpu", 1}); });
  expect_error(usage, {"nonces of one size", "any_nonce_size"},
               [] { DeviceAead("aes-128-gcm", Buffer(16), {}, {.any_nonce_size = true}); });
  expect_error(usage, {"key", "16 bytes"}, [] { DeviceAead("aes-128-gcm", Buffer(15)); });
  expect_error(usage, {"cpu", "cuda"}, [] { DeviceChunkedAead("cobblestone-128", Buffer(16), {}, {"cpu", 1}); });
  expect_error(usage, {"key", "32 bytes"}, [] { DeviceChunkedAead("serpent-256", Buffer(16)); });
  expect_error(usage, {"11", "12 to 15"}, [] { DeviceAead("aes-128-gcm", Buffer(16), {}, {.tag_bytes = 11}); });
}

TEST(Arguments, Sizes) {
  const SectorCipher xts("Serpent-192-xts", Buffer(48));
  EXPECT_EQ(xts.facts().name, "serpent-192-xts");
  EXPECT_EQ(xts.facts().key_bytes, 48U);
  EXPECT_EQ(xts.facts().block_bytes, 16U);
  EXPECT_EQ(xts.facts().iv_bytes, 16U);
  EXPECT_EQ(Aead("aes-128-gcm", Buffer(16)).facts().iv_bytes, 12U);
}

// All of it, without a key.
TEST(Catalog, FactsByName) {
  EXPECT_EQ(all_cipher_facts().size(), 4 * 5 + 9 * 7 + 1U);
  for (const CipherFacts& facts : all_cipher_facts()) {
    EXPECT_EQ(&cipher_facts(facts.name), &facts);
    EXPECT_EQ(facts.name, facts.cipher + "-" + facts.mode);
    const bool is_ctr_like = facts.mode == "ecb" || facts.mode == "ctr" || facts.mode == "xts";
    EXPECT_EQ(facts.encrypts_parts, is_ctr_like) << facts.name;
    EXPECT_EQ(facts.decrypts_parts, is_ctr_like || facts.mode == "cbc" || facts.mode == "cfb") << facts.name;
    EXPECT_EQ(facts.tag_bytes, facts.mode == "gcm" ? 16U : 0U) << facts.name;
  }
  EXPECT_EQ(all_cipher_facts().back().name, "xaes-256-gcm");
  EXPECT_EQ(cipher_facts("XAES-256-GCM").iv_bytes, 24U);
  EXPECT_EQ(cipher_facts("2DES-ecb").iv_bytes, 0U);
  EXPECT_EQ(cipher_facts("des-ofb").iv_bytes, 8U);
  EXPECT_EQ(cipher_facts("3des-cbc").name, "des-ede3-cbc");
  EXPECT_EQ(cipher_facts("3des-cbc").key_bytes, 24U);
  expect_error(usage, {"unknown"}, [] { static_cast<void>(cipher_facts("rc4-ecb")); });
}

// In part, they are an error; the same memory, and neighbours, are not.
TEST(Arguments, OverlapInPart) {
  Buffer data(96);
  const MutableBytes all(data);
  const Buffer iv(16);
  const Cipher ctr("aes-128-ctr", Buffer(16));
  const SectorCipher xts("aes-128-xts", xts_key);
  const Aead gcm("aes-128-gcm", Buffer(16));
  for (const std::size_t offset : {1, 16, 31}) {
    for (const auto& places :
         {std::pair{all.first(32), all.subspan(offset, 32)}, std::pair{all.subspan(offset, 32), all.first(32)}}) {
      const MutableBytes in = places.first, out = places.second;
      expect_error(usage, {"overlap in part"}, [&] { ctr.encrypt(iv, in, out); });
      expect_error(usage, {"overlap in part"}, [&] { ctr.decrypt_part(iv, 0, in, out); });
      expect_error(usage, {"overlap in part"}, [&] { xts.encrypt(0, 1, 16, in, out); });
      expect_error(usage, {"overlap in part"}, [&] { gcm.seal(Bytes(iv).first(12), {}, in, out, all.last(16)); });
      expect_error(usage, {"overlap in part"}, [&] {
        const Message message[] = {{iv, in, out, {}}};
        ctr.encrypt_batch(message);
      });
    }
  }
  EXPECT_NO_THROW(ctr.encrypt(iv, all.first(32), all.subspan(32, 32)));
  EXPECT_NO_THROW(ctr.encrypt(iv, all.subspan(32, 32), all.first(32)));
  EXPECT_NO_THROW(ctr.encrypt(iv, all, all));
}

TEST(Arguments, Keys) {
  expect_error(usage, {"aes-256-ctr", "32 bytes", "16 bytes"}, [] { Cipher("aes-256-ctr", Buffer(16)); });
  expect_error(usage, {"des-ede3-cbc", "24 bytes", "0 bytes"}, [] { Cipher("3des-cbc", {}); });
  expect_error(usage, {"aes-128-xts", "32 bytes", "33 bytes"}, [] { Cipher("aes-128-xts", Buffer(33)); });
}

TEST(Arguments, IvsAndLengths) {
  const Cipher cbc("des-cbc", Buffer(8), {}, legacy);
  const Buffer iv(8);
  Buffer data(15);
  expect_error(usage, {"iv of des-cbc", "8 bytes", "7 bytes"}, [&] { cbc.encrypt(Buffer(7), Bytes{}, MutableBytes{}); });
  expect_error(usage, {"des-ecb takes no iv"},
               [&] { Cipher("des-ecb", Buffer(8), {}, legacy).encrypt(iv, Bytes{}, MutableBytes{}); });
  expect_error(usage, {"whole blocks of 8 bytes", "15 bytes", "pad"}, [&] { cbc.encrypt(iv, data, data); });
  expect_error(truncated, {"whole blocks of 8 bytes", "15 bytes", "cut short"}, [&] { cbc.decrypt(iv, data, data); });
  expect_error(usage, {"output", "14 bytes", "15 bytes"}, [&] { cbc.encrypt(iv, data, MutableBytes(data).first(14)); });
  const Cipher xts("aes-128-xts", xts_key);
  expect_error(usage, {"data unit", "16 bytes", "15 bytes"}, [&] { xts.encrypt(Buffer(16), data, data); });
  expect_error(truncated, {"data unit"}, [&] { xts.decrypt(Buffer(16), data, data); });
}

TEST(Arguments, Parts) {
  Buffer data(32);
  const Cipher cbc("aes-128-cbc", Buffer(16));
  expect_error(usage, {"aes-128-cbc", "encrypt or decrypt"}, [&] { cbc.encrypt_part(Buffer(16), 0, data, data); });
  expect_error(usage, {"aes-128-ofb"}, [&] { Cipher("aes-128-ofb", Buffer(16)).decrypt_part(Buffer(16), 0, data, data); });
  expect_error(usage, {"multiple of 16 bytes", "24"}, [&] { cbc.decrypt_part(Buffer(16), 24, data, data); });
  const Cipher xts("aes-128-xts", xts_key);
  expect_error(usage, {"data unit"},
               [&] { xts.encrypt_part(Buffer(16), 16, MutableBytes(data).first(3), MutableBytes(data).first(3)); });
  EXPECT_NO_THROW(xts.encrypt_part(Buffer(16), 16, Bytes{}, MutableBytes{}));
}

TEST(Arguments, Sectors) {
  Buffer data(520);
  const SectorCipher xts("aes-128-xts", xts_key);
  expect_error(usage, {"multiple of 16", "500"}, [&] { xts.encrypt(0, 1, 500, data, data); });
  expect_error(usage, {"multiple of 16", "0"}, [&] { xts.encrypt(0, 1, 0, data, data); });
  expect_error(usage, {"last sector", "8"}, [&] { xts.encrypt(0, 1, 512, data, data); });
  expect_error(truncated, {"last sector", "8"}, [&] { xts.decrypt(0, 1, 512, data, data); });
  EXPECT_NO_THROW(xts.encrypt(0, 1, 512, Bytes{}, MutableBytes{}));
}

TEST(Arguments, Authenticated) {
  Buffer data(16);
  Buffer tag(16);
  const Aead gcm("aes-128-gcm", Buffer(16));
  expect_error(usage, {"nonce", "empty"}, [&] { gcm.seal({}, {}, data, data, tag); });
  expect_error(usage, {"tag", "16 bytes", "12"}, [&] { gcm.seal(Buffer(12), {}, data, data, MutableBytes(tag).first(12)); });
  expect_error(usage, {"tag", "16 bytes", "12"}, [&] { gcm.open(Buffer(12), {}, data, data, Bytes(tag).first(12)); });
  for (const std::size_t size : {0, 11, 17}) {
    expect_error(usage, {"tag", "12 to 15"}, [&] { Aead("aes-128-gcm", Buffer(16), {}, {.tag_bytes = size}); });
  }
  std::vector<MessageToOpen> batch(2, MessageToOpen{Buffer(), {}, data, data, tag, {}});
  expect_error(usage, {"nonce"}, [&] { static_cast<void>(gcm.open_batch(batch)); });
  EXPECT_TRUE(gcm.open_batch({}));
  EXPECT_NO_THROW(gcm.seal_batch({}));
  // 2^36 - 32 bytes are allowed; the memory is never read.
  const Bytes huge(data.data(), (std::size_t{1} << 36) - 31);
  const MutableBytes huge_out(data.data(), huge.size());
  expect_error(usage, {"at most 68719476704 bytes"}, [&] { gcm.seal(Buffer(12), {}, huge, huge_out, tag); });
}

// A batch is checked as a whole before any message is touched.
TEST(Arguments, BatchesAreCheckedFirst) {
  const Cipher cbc("des-cbc", Buffer(8), {}, legacy);
  const Buffer iv(8);
  Buffer good(8, 0x11);
  Buffer bad(9);
  const Message messages[] = {{iv, good, good, {}}, {iv, bad, bad, {}}};
  expect_error(usage, {"whole blocks"}, [&] { cbc.encrypt_batch(messages); });
  EXPECT_EQ(good, Buffer(8, 0x11));
  const Buffer short_key(7);
  const Message keyed[] = {{iv, good, good, short_key}};
  expect_error(usage, {"key of des-cbc", "7 bytes"}, [&] { cbc.encrypt_batch(keyed); });
}

TEST(Arguments, CiphersOfABatchAreOfItsKind) {
  const Cipher cbc("des-cbc", Buffer(8), {}, legacy);
  const Cipher of_another_mode("des-ecb", Buffer(8));
  const Cipher of_another_engine("des-cbc", Buffer(8), {.engine = cbc.engine() == "cpu:scalar" ? "cpu:avx2" : "cpu:scalar"});
  const Buffer iv(8);
  const Buffer key(8);
  Buffer good(8, 0x11);
  Buffer other(8, 0x22);
  const auto expect = [&](const Message& bad, std::initializer_list<const char*> words) {
    const Message messages[] = {{iv, good, good, {}, &cbc}, bad};
    expect_error(usage, words, [&] { cbc.encrypt_batch(messages); });
    EXPECT_EQ(good, Buffer(8, 0x11));
  };
  expect({iv, other, other, key, &cbc}, {"key and a cipher"});
  expect({iv, other, other, {}, &of_another_mode}, {"des-cbc", "des-ecb"});
  expect({iv, other, other, {}, &of_another_engine}, {cbc.engine().c_str(), of_another_engine.engine().c_str()});
}

TEST(Engines, AreListedAndForced) {
  tested_engines();
  std::vector<std::string> names;
  for (const EngineInfo& info : engines()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.description.empty());
    EXPECT_EQ(info.usable, info.reason.empty()) << info.name;
    if (info.usable) {
      EXPECT_EQ(Cipher("aes-128-ecb", Buffer(16), {info.name, 0}).engine(), info.name);
    } else {
      expect_error(usage, {"cannot run here", info.reason.c_str(), "cpu:scalar"}, [&] {
        Cipher("aes-128-ecb", Buffer(16), {info.name, 0});
      });
    }
  }
  std::vector<std::string> expected{"cpu:scalar", "cuda"};
  for (const InstructionSet& set : instruction_sets().subspan(1)) expected.push_back(std::string("cpu:") + set.name);
  for (const std::string& name : expected) EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  expect_error(usage, {"'gpu'", "unknown", "auto, cpu, cpu:scalar"}, [] { Cipher("aes-128-ecb", Buffer(16), {"gpu", 0}); });
  expect_error(usage, {"threads"}, [] { Cipher("aes-128-ecb", Buffer(16), {"", -1}); });
}

// NOLINTBEGIN(bugprone-use-after-move)
TEST(MovedFrom, CiphersSaySo) {
  const Buffer key(16), iv(16), in(32);
  Buffer out(32);
  Cipher cipher("aes-128-ctr", key);
  const Cipher other(std::move(cipher));
  const auto refuse = [](const auto& call) { expect_error(usage, {"was moved from", "moved to"}, call); };
  refuse([&] { cipher.encrypt(iv, in, out); });
  refuse([&] { cipher.decrypt(iv, in, out); });
  refuse([&] { cipher.encrypt_part(iv, 0, in, out); });
  refuse([&] { cipher.decrypt_part(iv, 0, in, out); });
  refuse([&] { cipher.encrypt_batch({}); });
  refuse([&] { cipher.decrypt_batch({}); });
  refuse([&] { static_cast<void>(cipher.facts()); });
  refuse([&] { static_cast<void>(cipher.engine()); });
  refuse([&] {
    const Message message{.iv = iv, .in = in, .out = out, .key = {}, .cipher = &cipher};
    other.encrypt_batch({&message, 1});
  });
  SectorCipher sectors("aes-128-xts", xts_key);
  const SectorCipher moved_sectors(std::move(sectors));
  refuse([&] { sectors.encrypt(0, 1, 32, in, out); });
  refuse([&] { sectors.decrypt(0, 1, 32, in, out); });
  refuse([&] { static_cast<void>(sectors.facts()); });
}

TEST(MovedFrom, AeadsSaySo) {
  const Buffer key(16), nonce(12), in(32);
  Buffer out(32), tag(16);
  Aead aead("aes-128-gcm", key);
  const Aead moved_aead(std::move(aead));
  const auto refuse = [](const auto& call) { expect_error(usage, {"was moved from", "moved to"}, call); };
  refuse([&] { aead.seal(nonce, {}, in, out, tag); });
  refuse([&] { aead.open(nonce, {}, in, out, tag); });
  refuse([&] { aead.seal_batch({}); });
  refuse([&] { static_cast<void>(aead.open_batch({})); });
  refuse([&] { static_cast<void>(aead.tag_bytes()); });
  moved_aead.seal(nonce, {}, in, out, tag);
}
// NOLINTEND(bugprone-use-after-move)

// It is the program that reads PHALANX_ENGINE.
TEST(Engines, TheEnvironmentIsNotRead) {
  setenv("PHALANX_ENGINE", "nonsense", 1);
  EXPECT_EQ(Cipher("aes-128-ecb", Buffer(16)).engine(), Cipher("aes-128-ecb", Buffer(16), {"auto", 0}).engine());
  unsetenv("PHALANX_ENGINE");
}

TEST(Catalog, NamesCiphersModesAndTheVersion) {
  EXPECT_EQ(cipher_names().size(), 13U);
  EXPECT_EQ(cipher_names().front(), "des");
  EXPECT_EQ(mode_names(), (std::vector<std::string>{"ecb", "cbc", "ctr", "cfb", "ofb", "xts", "gcm"}));
  EXPECT_STREQ(version(), PHALANX_VERSION);
  EXPECT_EQ(std::string(version()), std::to_string(PHALANX_VERSION_MAJOR) + "." + std::to_string(PHALANX_VERSION_MINOR) +
                                        "." + std::to_string(PHALANX_VERSION_PATCH));
}

}  // namespace
}  // namespace phalanx::test
