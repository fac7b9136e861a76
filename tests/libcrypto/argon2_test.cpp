// Argon2 beside its published answers.
#include "files/libcrypto/argon2.hpp"

#include <gtest/gtest.h>

#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "engine/text/hex.hpp"

namespace phalanx {
namespace {

std::string derived(Argon2Kind kind, const std::string& passphrase, const std::string& salt, const Argon2Cost& cost) {
  std::vector<std::uint8_t> out(32);
  derive_argon2(kind, bytes_of(passphrase), bytes_of(salt), cost, out);
  return encode_hex(out);
}

// The answers of version 0x13 in test.c of the reference implementation, release 20190702.
TEST(Argon2, GivesThePublishedAnswers) {
  try {
    static_cast<void>(derived(Argon2Kind::i, "password", "somesalt", {1, 8, 1}));
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(derived(Argon2Kind::i, "password", "somesalt", {2, 256, 1}),
            "89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f");
  EXPECT_EQ(derived(Argon2Kind::i, "password", "somesalt", {2, 256, 2}),
            "4ff5ce2769a1d7f4c8a491df09d41a9fbe90e5eb02155a13e4c01e20cd4eab61");
  EXPECT_EQ(derived(Argon2Kind::id, "password", "somesalt", {2, 256, 1}),
            "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe");
  EXPECT_EQ(derived(Argon2Kind::id, "password", "somesalt", {2, 256, 2}),
            "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037");
}

TEST(Argon2, RefusesCostsThatItDoesNotHave) {
  for (const Argon2Cost cost : {Argon2Cost{0, 64, 1}, Argon2Cost{1, 7, 1}, Argon2Cost{1, 64, 0}, Argon2Cost{1, 64, 9}}) {
    EXPECT_THROW(static_cast<void>(derived(Argon2Kind::id, "password", "somesalt", cost)), Error);
  }
  EXPECT_THROW(static_cast<void>(derived(Argon2Kind::id, "password", "short", {1, 64, 1})), Error);
}

}  // namespace
}  // namespace phalanx
