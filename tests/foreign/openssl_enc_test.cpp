#include "files/foreign/openssl_enc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/hex.hpp"
#include "files/foreign/foreign_cipher.hpp"
#include "tests/foreign/format_fixture.hpp"
#include "tests/foreign/openssl_program.hpp"

namespace phalanx {
namespace {

ErrorCode header_code(const FileBytes& beginning) {
  return code_of([&] { (void)parse_openssl_header(beginning); });
}

TEST(OpensslEnc, HeaderRoundTrip) {
  const OpensslSalt salt = {1, 2, 3, 0, 255, 6, 7, 8};
  const OpensslHeader header = make_openssl_header(salt);
  EXPECT_EQ(FileBytes(header.begin(), header.end()),
            to_bytes(std::string_view("Salted__\x01\x02\x03\x00\xff\x06\x07\x08", 16)));
  EXPECT_EQ(parse_openssl_header(header), salt);
}

TEST(OpensslEnc, EveryTruncatedHeaderIsTruncated) {
  const FileBytes header = to_bytes("Salted__saltsalt");
  for (std::size_t size = 0; size < header.size(); ++size) {
    EXPECT_EQ(header_code(FileBytes(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(size))),
              ErrorCode::truncated)
        << size;
  }
  EXPECT_EQ(header_code(header), ErrorCode{0});
}

TEST(OpensslEnc, EveryChangedMagicIsAnotherFormat) {
  for (std::size_t size = 1; size <= 16; ++size) {
    for (std::size_t place = 0; place < std::min<std::size_t>(size, 8); ++place) {
      FileBytes header = to_bytes(std::string_view("Salted__saltsalt").substr(0, size));
      header[place] ^= 0x20;
      EXPECT_EQ(header_code(header), ErrorCode::format) << size << " bytes, changed at " << place;
    }
  }
}

TEST(OpensslEnc, SaltsDiffer) {
  std::set<OpensslSalt> salts;
  for (int i = 0; i < 100; ++i) salts.insert(random_openssl_salt());
  EXPECT_EQ(salts.size(), 100U);
}

TEST(OpensslEnc, NamesHaveOpensslsMeaning) {
  const std::pair<const char*, const char*> names[] = {
      {"des", "des-cbc"},
      {"des3", "des-ede3-cbc"},
      {"DES3", "des-ede3-cbc"},
      {"des-ede", "des-ede-ecb"},
      {"des-ede3", "des-ede3-ecb"},
      {"aes128", "aes-128-cbc"},
      {"aes192", "aes-192-cbc"},
      {"AES256", "aes-256-cbc"},
      {"des-ecb", "des-ecb"},
      {"des-ede-cbc", "des-ede-cbc"},
      {"des-ede3-ecb", "des-ede3-ecb"},
      {"des-ede3-cbc", "des-ede3-cbc"},
      {"des-ede3-cfb", "des-ede3-cfb"},
      {"des-ede3-ofb", "des-ede3-ofb"},
      {"aes-256-cfb", "aes-256-cfb"},
      {"AES-128-CTR", "aes-128-ctr"},
      {"des-ede3-ctr", "des-ede3-ctr"},
      {"serpent-256-cbc", "serpent-256-cbc"},
      {"BF", "bf-cbc"},
      {"blowfish", "bf-cbc"},
      {"cast", "cast5-cbc"},
      {"rc2-40", "rc2-40-cbc"},
      {"rc2", "rc2-cbc"},
      {"rc2-128", "rc2-cbc"},
      {"desx", "desx-cbc"},
      {"camellia256", "camellia-256-cbc"},
      {"ARIA-192-CFB1", "aria-192-cfb1"},
      {"sm4", "sm4-cbc"},
      {"3des-cfb8", "des-ede3-cfb8"},
      {"aes-128-cfb1", "aes-128-cfb1"},
      {"id-aes256-GCM", "aes-256-gcm"},
      {"aes-128-xts", "aes-128-xts"},
  };
  for (const auto& [name, meaning] : names) EXPECT_EQ(full_name(parse_openssl_cipher_name(name)), meaning) << name;
}

TEST(OpensslEnc, RefusesWhatOpensslRefuses) {
  for (const char* name : {"aes-192-xts",
                           "serpent-256-xts",
                           "serpent-256-gcm",
                           "aes-256",
                           "serpent-256",
                           "3des",
                           "des-ede3-cfb2",
                           "des-ede3-cfb-8",
                           "rc4-64",
                           "rc4-cbc",
                           "rc2-40-ecb",
                           "bf-ctr",
                           "bf-",
                           "bf- cbc",
                           "-cbc",
                           "camellia-128",
                           "chacha20-ctr",
                           "aes128-wrap",
                           "id-aes256-wrap-pad",
                           "des3-wrap",
                           "idea-cbc",
                           "rc5",
                           "aes-128-ccm",
                           "aes-256-ocb",
                           "aria-128-gcm",
                           "chacha20-poly1305",
                           "rc4-hmac-md5",
                           ""}) {
    EXPECT_EQ(code_of([&] { (void)parse_openssl_cipher_name(name); }), ErrorCode::usage) << name;
  }
}

// What follows "NAME=" in the lines of `openssl enc -P`, in lower case; empty if there is no such line.
std::string printed_value(const FileBytes& printed, const std::string& name) {
  const std::string text(printed.begin(), printed.end());
  const std::size_t start = text.find(name + "=");
  if (start == std::string::npos) return "";
  const std::size_t value = start + name.size() + 1;
  std::string lower = text.substr(value, text.find('\n', value) - value);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// `openssl enc -P` prints the key and the iv that it derives.
void expect_openssls_key(const char* cipher_name, const std::string& options, const OpensslDerivation& derivation,
                         bool salted) {
  const std::string passphrase = "pass phrase " + options;
  const FileBytes salt = to_bytes(std::string_view("\x0f\x1e\x2d\x3c\x4b\x5a\x69\x78", salted ? 8 : 0));
  const FileBytes printed = run_openssl("enc -P -" + std::string(cipher_name) + " -md " + derivation.digest + options +
                                            (salted ? " -S 0f1e2d3c4b5a6978" : " -nosalt") + passphrase_argument,
                                        {}, passphrase);
  const ForeignCipher cipher = parse_openssl_cipher_name(cipher_name);
  FileBytes key(key_bytes(cipher));
  FileBytes iv(iv_bytes(cipher));
  derive_key_and_iv(derivation, to_bytes(passphrase), salt, key, iv);
  EXPECT_EQ(encode_hex(key), printed_value(printed, "key")) << cipher_name << options;
  EXPECT_EQ(encode_hex(iv), printed_value(printed, "iv ")) << cipher_name << options;
}

TEST(OpensslEnc, DerivesOpensslsKeyAndIv) {
  for (const char* cipher : {"des3", "des-ede3", "des-ede-cbc", "aes128", "aes-192-ctr", "aes-256-cbc", "aes-256-ecb"}) {
    for (const bool salted : {true, false}) {
      for (const char* digest : {"md5", "sha1", "sha256", "sha512"}) {
        expect_openssls_key(cipher, "", {digest, false, 1}, salted);
      }
      expect_openssls_key(cipher, " -pbkdf2", {"sha256", true}, salted);
      expect_openssls_key(cipher, " -iter 1234", {"sha1", true, 1234}, salted);
    }
  }
}

}  // namespace
}  // namespace phalanx
