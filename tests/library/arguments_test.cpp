// Arguments that do not fit: the code and the line that says so.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

/// The error that `run` throws: its code, and its text holds each of these.
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

TEST(Arguments, Names) {
  const Buffer key(16);
  expect_error(usage, {"'rc4'", "unknown", "des-ede3", "twofish-256", "cbc"}, [&] { Cipher("rc4", key); });
  expect_error(usage, {"'AES-128'", "lacks a mode", "'aes-128-cbc'", "ecb, cbc, ctr, cfb, ofb, xts, gcm"},
               [&] { Cipher("AES-128", key); });
  expect_error(usage, {"mode 'ccm'", "aes-128-ccm", "gcm"}, [&] { Cipher("aes-128-ccm", key); });
  expect_error(usage, {"xts", "16-byte blocks", "des-ede"}, [&] { Cipher("des-ede-xts", key); });
  expect_error(usage, {"gcm", "2des"}, [&] { Cipher("2des-gcm", key); });
  expect_error(usage, {"''"}, [&] { Cipher("", key); });
  EXPECT_EQ(Cipher("AES-128-Cbc", key).name(), "aes-128-cbc");
  EXPECT_EQ(Cipher("3DES-ctr", Buffer(24)).name(), "des-ede3-ctr");
}

TEST(Arguments, Sizes) {
  const Cipher xts("serpent-192-xts", Buffer(48));
  EXPECT_EQ(xts.key_bytes(), 48U);
  EXPECT_EQ(xts.block_bytes(), 16U);
  EXPECT_EQ(xts.iv_bytes(), 16U);
  EXPECT_EQ(Cipher("2des-ecb", Buffer(16)).iv_bytes(), 0U);
  EXPECT_EQ(Cipher("des-ofb", Buffer(8)).iv_bytes(), 8U);
  EXPECT_EQ(Cipher("aes-128-gcm", Buffer(16)).iv_bytes(), 12U);
}

TEST(Arguments, Keys) {
  expect_error(usage, {"aes-256-ctr", "32 bytes", "16 bytes"}, [] { Cipher("aes-256-ctr", Buffer(16)); });
  expect_error(usage, {"des-ede3-cbc", "24 bytes", "0 bytes"}, [] { Cipher("3des-cbc", {}); });
  expect_error(usage, {"aes-128-xts", "32 bytes", "33 bytes"}, [] { Cipher("aes-128-xts", Buffer(33)); });
}

TEST(Arguments, IvsAndLengths) {
  const Cipher cbc("des-cbc", Buffer(8));
  const Buffer iv(8);
  Buffer data(15);
  expect_error(usage, {"iv of des-cbc", "8 bytes", "7 bytes"}, [&] { cbc.encrypt(Buffer(7), Bytes{}, MutableBytes{}); });
  expect_error(usage, {"des-ecb takes no iv"}, [&] { Cipher("des-ecb", Buffer(8)).encrypt(iv, Bytes{}, MutableBytes{}); });
  expect_error(usage, {"whole blocks of 8 bytes", "15 bytes", "pad"}, [&] { cbc.encrypt(iv, data, data); });
  expect_error(truncated, {"whole blocks of 8 bytes", "15 bytes", "cut short"}, [&] { cbc.decrypt(iv, data, data); });
  expect_error(usage, {"output", "14 bytes", "15 bytes"}, [&] { cbc.encrypt(iv, data, MutableBytes(data).first(14)); });
  const Cipher xts("aes-128-xts", Buffer(32));
  expect_error(usage, {"data unit", "16 bytes", "15 bytes"}, [&] { xts.encrypt(Buffer(16), data, data); });
  expect_error(truncated, {"data unit"}, [&] { xts.decrypt(Buffer(16), data, data); });
}

TEST(Arguments, Parts) {
  Buffer data(32);
  const Cipher cbc("aes-128-cbc", Buffer(16));
  expect_error(usage, {"aes-128-cbc", "encrypt or decrypt"}, [&] { cbc.encrypt_part(Buffer(16), 0, data, data); });
  expect_error(usage, {"aes-128-ofb"}, [&] { Cipher("aes-128-ofb", Buffer(16)).decrypt_part(Buffer(16), 0, data, data); });
  expect_error(usage, {"multiple of 16 bytes", "24"}, [&] { cbc.decrypt_part(Buffer(16), 24, data, data); });
  const Cipher xts("aes-128-xts", Buffer(32));
  expect_error(usage, {"data unit"},
               [&] { xts.encrypt_part(Buffer(16), 16, MutableBytes(data).first(3), MutableBytes(data).first(3)); });
  EXPECT_NO_THROW(xts.encrypt_part(Buffer(16), 16, Bytes{}, MutableBytes{}));
  const Cipher gcm("aes-128-gcm", Buffer(16));
  expect_error(usage, {"seal and open"}, [&] { gcm.encrypt_part(Buffer(12), 0, data, data); });
}

TEST(Arguments, Sectors) {
  Buffer data(520);
  const Cipher xts("aes-128-xts", Buffer(32));
  expect_error(usage, {"multiple of 16", "500"}, [&] { xts.encrypt_sectors(0, 1, 500, data, data); });
  expect_error(usage, {"multiple of 16", "0"}, [&] { xts.encrypt_sectors(0, 1, 0, data, data); });
  expect_error(usage, {"last sector", "8"}, [&] { xts.encrypt_sectors(0, 1, 512, data, data); });
  expect_error(truncated, {"last sector", "8"}, [&] { xts.decrypt_sectors(0, 1, 512, data, data); });
  expect_error(usage, {"xts", "aes-128-ecb"},
               [&] { Cipher("aes-128-ecb", Buffer(16)).encrypt_sectors(0, 1, 512, data, data); });
  EXPECT_NO_THROW(xts.encrypt_sectors(0, 1, 512, Bytes{}, MutableBytes{}));
}

TEST(Arguments, Authenticated) {
  Buffer data(16);
  Buffer tag(16);
  const Cipher gcm("aes-128-gcm", Buffer(16));
  expect_error(usage, {"nonce", "empty"}, [&] { gcm.seal({}, {}, data, data, tag); });
  expect_error(usage, {"tag", "16 bytes", "12"}, [&] { gcm.seal(Buffer(12), {}, data, data, MutableBytes(tag).first(12)); });
  expect_error(usage, {"tag", "12 to 16", "11"}, [&] { gcm.open(Buffer(12), {}, data, data, Bytes(tag).first(11)); });
  expect_error(usage, {"seal and open"}, [&] { gcm.encrypt(Buffer(12), data, data); });
  expect_error(usage, {"gcm", "aes-128-ctr"},
               [&] { Cipher("aes-128-ctr", Buffer(16)).seal(Buffer(12), {}, data, data, tag); });
  // 2^36 - 32 bytes are allowed; the memory is never read.
  const Bytes huge(data.data(), (std::size_t{1} << 36) - 31);
  const MutableBytes huge_out(data.data(), huge.size());
  expect_error(usage, {"at most 68719476704 bytes"}, [&] { gcm.seal(Buffer(12), {}, huge, huge_out, tag); });
}

/// A batch is checked as a whole before any message is touched.
TEST(Arguments, BatchesAreCheckedFirst) {
  const Cipher cbc("des-cbc", Buffer(8));
  const Buffer iv(8);
  Buffer good(8, 0x11);
  Buffer bad(9);
  const Message messages[] = {{iv, good, good, {}}, {iv, bad, bad, {}}};
  expect_error(usage, {"whole blocks"}, [&] { cbc.encrypt_batch(messages); });
  EXPECT_EQ(good, Buffer(8, 0x11));
  const Buffer short_key(7);
  const Message keyed[] = {{iv, good, good, short_key}};
  expect_error(usage, {"key of des-cbc", "7 bytes"}, [&] { cbc.encrypt_batch(keyed); });
  expect_error(usage, {"seal and open"}, [&] {
    const Message message[] = {{iv, good, good, {}}};
    Cipher("aes-128-gcm", Buffer(16)).encrypt_batch(message);
  });
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
  for (const char* name : {"cpu:scalar", "cpu:avx2", "cpu:avx512", "cuda"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  expect_error(usage, {"'gpu'", "unknown", "auto, cpu, cpu:scalar"}, [] { Cipher("aes-128-ecb", Buffer(16), {"gpu", 0}); });
  expect_error(usage, {"threads"}, [] { Cipher("aes-128-ecb", Buffer(16), {"", -1}); });
}

TEST(Engines, TheEnvironmentSetsTheDefault) {
  const char* before = std::getenv("PHALANX_ENGINE");
  const std::string saved = before == nullptr ? "" : before;
  setenv("PHALANX_ENGINE", "cpu:scalar", 1);
  EXPECT_EQ(Cipher("aes-128-ecb", Buffer(16)).engine(), "cpu:scalar");
  EXPECT_NE(Cipher("aes-128-ecb", Buffer(16), {"cpu", 0}).engine(), "cpu");
  setenv("PHALANX_ENGINE", "nonsense", 1);
  expect_error(usage, {"'nonsense'"}, [] { Cipher("aes-128-ecb", Buffer(16)); });
  EXPECT_NO_THROW(Cipher("aes-128-ecb", Buffer(16), {"auto", 0}));
  setenv("PHALANX_ENGINE", "", 1);
  EXPECT_EQ(Cipher("aes-128-ecb", Buffer(16)).engine(), Cipher("aes-128-ecb", Buffer(16), {"auto", 0}).engine());
  if (before == nullptr) {
    unsetenv("PHALANX_ENGINE");
  } else {
    setenv("PHALANX_ENGINE", saved.c_str(), 1);
  }
}

TEST(Catalog, NamesCiphersModesAndTheVersion) {
  EXPECT_EQ(cipher_names().size(), 13U);
  EXPECT_EQ(cipher_names().front(), "des");
  EXPECT_EQ(mode_names(), (std::vector<std::string>{"ecb", "cbc", "ctr", "cfb", "ofb", "xts", "gcm"}));
  EXPECT_EQ(std::string(version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace phalanx::test
