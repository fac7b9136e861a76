#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <phalanx/files/key_derivation.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/hex.hpp"
#include "tests/foreign/format_fixture.hpp"

namespace phalanx {
namespace {

std::string pbkdf2_hex(const char* digest, std::string_view passphrase, std::string_view salt, int iterations,
                       std::size_t size) {
  std::vector<std::uint8_t> out(size);
  derive_pbkdf2(digest, to_bytes(passphrase), to_bytes(salt), iterations, out);
  return encode_hex(out);
}

// RFC 6070, section 2; the third is RFC 7914, section 11.
TEST(KeyDerivation, Pbkdf2PublishedVectors) {
  EXPECT_EQ(pbkdf2_hex("sha1", "password", "salt", 1, 20), "0c60c80f961f0e71f3a9b524af6012062fe037a6");
  EXPECT_EQ(pbkdf2_hex("sha1", "password", "salt", 4096, 20), "4b007901b765489abead49d926f721d065a429c1");
  EXPECT_EQ(pbkdf2_hex("sha256", "passwd", "salt", 1, 64),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783");
  EXPECT_EQ(pbkdf2_hex("sha1", std::string_view("pass\0word", 9), std::string_view("sa\0lt", 5), 4096, 16),
            "56fa6aa75548099dcc37d7f03425e0c3");
}

TEST(KeyDerivation, Pbkdf2TakesAnEmptyPassphraseAndSalt) {
  // Python: hashlib.pbkdf2_hmac("sha256", b"", b"", 1, 16).hex()
  EXPECT_EQ(pbkdf2_hex("sha256", "", "", 1, 16), "f7ce0b653d2d72a4108cf5abe912ffdd");
}

// Against libcrypto's own EVP_BytesToKey, which takes its sizes from a cipher: AES-256-CBC wants 32 and 16 bytes.
TEST(KeyDerivation, BytesToKeyIsLibcryptos) {
  const auto salt = to_bytes("\x01\x23\x45\x67\x89\xab\xcd\xef");
  for (const char* digest : {"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256", "blake2b512", "ripemd160"}) {
    for (const std::string_view passphrase : {"", "a", "correct horse battery staple", "caf\xc3\xa9"}) {
      for (const bool salted : {true, false}) {
        std::vector<std::uint8_t> expected(48), found(48);
        const int key_bytes = EVP_BytesToKey(EVP_aes_256_cbc(), EVP_get_digestbyname(digest), salted ? salt.data() : nullptr,
                                             reinterpret_cast<const unsigned char*>(passphrase.data()),
                                             static_cast<int>(passphrase.size()), 1, expected.data(), expected.data() + 32);
        ASSERT_EQ(key_bytes, 32);
        derive_bytes_to_key(digest, to_bytes(passphrase), salted ? Bytes(salt) : Bytes(), found);
        EXPECT_EQ(found, expected) << digest << " '" << passphrase << "'";
      }
    }
  }
}

TEST(KeyDerivation, BytesToKeyOfEveryLengthIsABeginning) {
  std::vector<std::uint8_t> whole(100);
  derive_bytes_to_key("md5", to_bytes("secret"), {}, whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::uint8_t> part(size);
    derive_bytes_to_key("md5", to_bytes("secret"), {}, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << size;
  }
}

TEST(KeyDerivation, RefusesAnUnknownDigest) {
  std::vector<std::uint8_t> out(16);
  for (const char* digest : {"", "sha257", "md5 "}) {
    EXPECT_EQ(code_of([&] { require_digest(digest); }), ErrorCode::usage) << digest;
    EXPECT_EQ(code_of([&] { derive_bytes_to_key(digest, {}, {}, out); }), ErrorCode::usage) << digest;
    EXPECT_EQ(code_of([&] { derive_pbkdf2(digest, {}, {}, 1, out); }), ErrorCode::usage) << digest;
  }
  for (const char* digest : {"md5", "MD5", "sha1", "SHA256", "sha512"}) EXPECT_NO_THROW(require_digest(digest)) << digest;
}

TEST(KeyDerivation, RefusesFewerThanOneIteration) {
  std::vector<std::uint8_t> out(16);
  for (const int iterations : {0, -1, -10000}) {
    EXPECT_EQ(code_of([&] { derive_pbkdf2("sha256", {}, {}, iterations, out); }), ErrorCode::usage) << iterations;
  }
}

}  // namespace
}  // namespace phalanx
