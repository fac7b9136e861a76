// The names of what is read only: what they mean, what is said of the others, and that none is written.
#include "files/foreign/foreign_cipher.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "files/foreign/message_plan.hpp"
#include "tests/foreign/format_fixture.hpp"

namespace phalanx {
namespace {

struct Expected {
  const char* name;
  std::size_t key_bytes, iv_bytes, block_bytes;
  Mode mode;
  ForeignWay way;
};

TEST(ForeignCipher, HasTheSizesOfOpenssl) {
  constexpr Expected all[] = {
      {"aes-128-gcm", 16, 12, 16, Mode::ctr, ForeignWay::no_tag},
      {"aes-256-xts", 64, 16, 16, Mode::xts, ForeignWay::restarted},
      {"des-ede3-cfb1", 24, 8, 8, Mode::cfb, ForeignWay::segments},
      {"bf-ecb", 16, 0, 8, Mode::ecb, ForeignWay::legacy},
      {"rc2-40", 5, 8, 8, Mode::cbc, ForeignWay::legacy},
      {"rc4", 16, 0, 1, Mode::ctr, ForeignWay::legacy},
      {"chacha20", 32, 16, 1, Mode::ctr, ForeignWay::libcrypto},
      {"camellia-192-cfb8", 24, 16, 16, Mode::cfb, ForeignWay::libcrypto},
      {"sm4-ofb", 16, 16, 16, Mode::ofb, ForeignWay::libcrypto},
      {"des3", 24, 8, 8, Mode::cbc, ForeignWay::engine},
  };
  for (const Expected& expected : all) {
    const ForeignCipher cipher = parse_openssl_cipher_name(expected.name);
    EXPECT_EQ(cipher.key_bytes, expected.key_bytes) << expected.name;
    EXPECT_EQ(cipher.iv_bytes, expected.iv_bytes) << expected.name;
    EXPECT_EQ(cipher.block_bytes, expected.block_bytes) << expected.name;
    EXPECT_EQ(cipher.mode, expected.mode) << expected.name;
    EXPECT_EQ(cipher.way, expected.way) << expected.name;
  }
}

TEST(ForeignCipher, EveryNameOfTheListIsRead) {
  const std::vector<std::string> names = read_only_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_GT(names.size(), 100U);
  for (const std::string& name : names) {
    EXPECT_TRUE(parse_openssl_cipher_name(name).is_read_only()) << name;
    EXPECT_EQ(parse_foreign_cipher_name(name).name, parse_openssl_cipher_name(name).name);
  }
}

TEST(ForeignCipher, WithoutOpensslGcmAndXtsAreTheEngines) {
  EXPECT_EQ(parse_foreign_cipher_name("aes-256-xts").way, ForeignWay::engine);
  EXPECT_EQ(parse_foreign_cipher_name("aes-256-gcm").mode, Mode::gcm);
  EXPECT_EQ(parse_foreign_cipher_name("BF-CBC").way, ForeignWay::legacy);
  EXPECT_EQ(parse_foreign_cipher_name("aes-128-cfb8").way, ForeignWay::segments);
  EXPECT_EQ(code_of([] { (void)parse_foreign_cipher_name("des3"); }), ErrorCode::usage);
}

TEST(ForeignCipher, NoneThatIsReadOnlyIsEncrypted) {
  const std::vector<std::uint8_t> key(16), iv(8);
  ForeignFormat format;
  format.cipher = "bf-cbc";
  format.key = key;
  format.iv = iv;
  EngineOptions engine{"cpu:scalar", 1};
  RunOptions options{engine};
  options.policy.allow_legacy = true;
  EXPECT_EQ(code_of([&] { (void)plan_foreign(format, options, Direction::encrypt); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { (void)plan_foreign(format, options, Direction::decrypt); }), ErrorCode{0});
}

}  // namespace
}  // namespace phalanx
