// What the reference promises beside right answers: parts of messages, blocks in place, errors.
#include "reference/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

using namespace phalanx::reference;  // NOLINT(google-build-using-namespace): it is what this file is about
using phalanx::test::ByteVector;

const std::vector<std::string> all_names = {"des",         "2des",        "des-ede",     "des-ede3",    "aes-128",
                                            "aes-192",     "aes-256",     "serpent-128", "serpent-192", "serpent-256",
                                            "twofish-128", "twofish-192", "twofish-256"};

ByteVector counting(std::size_t count, std::uint8_t first = 0) {
  ByteVector bytes(count);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

ByteVector any_key(const std::string& cipher) { return counting(key_bytes(cipher + "-ecb"), 0x11); }

TEST(Reference, CryptsABlockInPlaceAndBack) {
  for (const std::string& name : all_names) {
    SCOPED_TRACE(name);
    const auto cipher = make_cipher(name, any_key(name));
    const ByteVector in = counting(cipher->block_bytes());
    ByteVector apart(in.size()), in_place = in;
    cipher->encrypt_block(in.data(), apart.data());
    cipher->encrypt_block(in_place.data(), in_place.data());
    EXPECT_EQ(in_place, apart);
    EXPECT_NE(in_place, in);
    cipher->decrypt_block(in_place.data(), in_place.data());
    EXPECT_EQ(in_place, in);
  }
}

TEST(Reference, IgnoresTheParityBitsOfDesKeys) {
  for (const char* name : {"des", "2des", "des-ede", "des-ede3"}) {
    ByteVector key = any_key(name);
    const ByteVector in = counting(16);
    const ByteVector expected = crypt(std::string(name) + "-ecb", Direction::encrypt, key, {}, in);
    for (std::uint8_t& byte : key) byte ^= 1;
    EXPECT_EQ(crypt(std::string(name) + "-ecb", Direction::encrypt, key, {}, in), expected) << name;
    key[0] ^= 2;
    EXPECT_NE(crypt(std::string(name) + "-ecb", Direction::encrypt, key, {}, in), expected) << name;
  }
}

TEST(Reference, KnowsThe3desAlias) {
  EXPECT_EQ(crypt("3des-ecb", Direction::encrypt, counting(24), {}, counting(16)),
            crypt("des-ede3-ecb", Direction::encrypt, counting(24), {}, counting(16)));
}

// The counter wraps at the block's width, 2^64 or 2^128, and nowhere before: after all ones comes zero.
TEST(Reference, CounterWrapsAtTheWidthOfTheBlock) {
  for (const std::string& name : all_names) {
    const auto cipher = make_cipher(name, any_key(name));
    const std::size_t b = cipher->block_bytes();
    const ByteVector out = ctr(*cipher, ByteVector(b, 0xff), ByteVector(3 * b));
    ByteVector counters = ByteVector(b, 0xff);
    counters.resize(3 * b);
    counters.back() = 1;
    EXPECT_EQ(out, ecb(*cipher, Direction::encrypt, counters)) << name;
  }
}

TEST(Reference, CounterBlockAddsToTheIv) {
  EXPECT_EQ(to_hex(counter_block(from_hex("0000000000000000"), 0x123456789abcdef0)), "123456789abcdef0");
  EXPECT_EQ(to_hex(counter_block(from_hex("ffffffffffffffff"), 2)), "0000000000000001");
  EXPECT_EQ(to_hex(counter_block(from_hex("000000000000000000000000ffffffff"), 1)), "00000000000000000000000100000000");
  EXPECT_EQ(to_hex(counter_block(from_hex("ffffffffffffffffffffffffffffffff"), 0xffffffffffffffff)),
            "0000000000000000fffffffffffffffe");
  const auto cipher = make_cipher("aes-128", counting(16));
  const ByteVector iv(16, 0xff), in = counting(80);
  const ByteVector whole = ctr(*cipher, iv, in);
  const ByteVector tail = ctr(*cipher, counter_block(iv, 3), Bytes(in).subspan(48));
  EXPECT_EQ(to_hex(tail), to_hex(Bytes(whole).subspan(48)));
}

TEST(Reference, XtsGoesOnFromAnyBlock) {
  const auto data_cipher = make_cipher("serpent-256", counting(32));
  const auto tweak_cipher = make_cipher("serpent-256", counting(32, 7));
  const ByteVector tweak = counting(16, 99), in = counting(16 * 6 + 5);
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    const ByteVector whole = xts(*data_cipher, *tweak_cipher, direction, tweak, in);
    for (std::size_t block = 0; block < 6; ++block) {
      const ByteVector part =
          xts_from(*data_cipher, direction, xts_tweak(*tweak_cipher, tweak, block), Bytes(in).subspan(16 * block));
      EXPECT_EQ(to_hex(part), to_hex(Bytes(whole).subspan(16 * block))) << block;
    }
  }
}

// SP 800-38D sections 6.3 and 6.4: the block 1 0^127 is one, and GHASH is a polynomial in H without a constant term.
TEST(Reference, GhashIsAPolynomial) {
  GcmBlock one{}, H{}, X{};
  one[0] = 0x80;
  for (std::size_t i = 0; i < 16; ++i) {
    H[i] = static_cast<std::uint8_t>(17 * i + 3);
    X[i] = static_cast<std::uint8_t>(29 * i + 1);
  }
  EXPECT_EQ(gf128_multiply(H, one), H);
  EXPECT_EQ(gf128_multiply(one, H), H);
  EXPECT_EQ(gf128_multiply(H, X), gf128_multiply(X, H));
  EXPECT_EQ(ghash(H, {}), GcmBlock{});
  ByteVector string(32);
  std::ranges::copy(X, string.begin());
  EXPECT_EQ(ghash(H, string), gf128_multiply(gf128_multiply(X, H), H));
}

TEST(Reference, GcmOpensNothingThatWasChanged) {
  const auto cipher = make_cipher("twofish-256", counting(32));
  const ByteVector nonce = counting(12), associated_data = counting(5), in = counting(20);
  const ByteVector sealed = gcm_seal(*cipher, nonce, associated_data, in);
  ASSERT_EQ(gcm_open(*cipher, nonce, associated_data, sealed), in);
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    ByteVector changed = sealed;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(gcm_open(*cipher, nonce, associated_data, changed)) << bit;
  }
  EXPECT_FALSE(gcm_open(*cipher, counting(12, 1), associated_data, sealed));
  EXPECT_FALSE(gcm_open(*cipher, nonce, counting(6), sealed));
  EXPECT_FALSE(gcm_open(*cipher, nonce, associated_data, Bytes(sealed).first(15)));
}

TEST(Reference, CryptHasGcmWithoutAssociatedData) {
  const ByteVector key = counting(16), nonce = counting(12), in = counting(33);
  const ByteVector sealed = crypt("aes-128-gcm", Direction::encrypt, key, nonce, in);
  EXPECT_EQ(sealed, gcm_seal(*make_cipher("aes-128", key), nonce, {}, in));
  EXPECT_EQ(crypt("aes-128-gcm", Direction::decrypt, key, nonce, sealed), in);
  ByteVector changed = sealed;
  changed[0] ^= 1;
  EXPECT_THROW(crypt("aes-128-gcm", Direction::decrypt, key, nonce, changed), std::invalid_argument);
}

TEST(Reference, RefusesWhatDoesNotFit) {
  const auto fails = [](const char* name, std::size_t key, std::size_t iv, std::size_t in) {
    EXPECT_THROW(crypt(name, Direction::encrypt, counting(key), counting(iv), counting(in)), std::invalid_argument) << name;
  };
  fails("aes-128-cbc", 15, 16, 16);
  fails("aes-128-cbc", 16, 15, 16);
  fails("aes-128-cbc", 16, 16, 17);
  fails("aes-128-ecb", 16, 0, 15);
  fails("aes-128-ctr", 16, 12, 16);
  fails("des-ede3-ofb", 16, 8, 16);
  fails("des-cfb", 8, 16, 16);
  fails("aes-256-xts", 32, 16, 16);
  fails("aes-256-xts", 64, 16, 15);
  fails("aes-256-xts", 64, 8, 16);
  fails("des-xts", 16, 16, 16);
  fails("des-gcm", 8, 12, 16);
  fails("aes-128-gcm", 16, 0, 16);
  fails("aes-128-ccm", 16, 16, 16);
  fails("rot-13-ecb", 1, 0, 16);
  fails("aes", 16, 0, 16);
}

}  // namespace
}  // namespace phalanx::test
