#include "foreign/digest_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/foreign/format_fixture.hpp"
#include "tests/foreign/openssl_program.hpp"

namespace phalanx {
namespace {

const std::string passphrase = "old files, old habits";

FileBytes passphrase_bytes() { return {passphrase.begin(), passphrase.end()}; }

// The end of a file: at most two blocks.
Bytes last_two_blocks(const FileBytes& ciphertext, std::size_t block_bytes) {
  return Bytes(ciphertext).last(std::min(ciphertext.size(), 2 * block_bytes));
}

// Searches a file that the openssl program writes.
DigestChoice search_file(const char* cipher_name, const std::string& options, bool pbkdf2, std::size_t message_bytes) {
  const FileBytes file = run_openssl("enc -" + std::string(cipher_name) + " " + options + passphrase_argument,
                                     FileBytes(message_bytes, 'x'), passphrase);
  const OpensslSalt salt = parse_openssl_header(Bytes(file).first(openssl_header_bytes));
  const FileBytes ciphertext(file.begin() + openssl_header_bytes, file.end());
  const FileBytes typed = passphrase_bytes();
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name(cipher_name);
  search.derivation.pbkdf2 = pbkdf2;
  search.passphrase = typed;
  search.salt = salt;
  search.last_blocks = last_two_blocks(ciphertext, search.cipher.cipher->block_bytes);
  return find_digest(search);
}

// Messages of whole blocks end in a whole block of padding, which chance does not imitate.
TEST(DigestSearch, FindsTheDigestOfOpensslsFiles) {
  for (const char* cipher : {"des-ede3-cbc", "des3", "des-ede3", "aes-256-cbc", "aes-128-ecb"}) {
    const std::size_t block_bytes = parse_openssl_cipher_name(cipher).cipher->block_bytes;
    for (const char* const digest : digest_search_order) {
      for (const std::size_t num_blocks : {0U, 1U, 3U}) {
        for (const bool pbkdf2 : {false, true}) {
          const DigestChoice choice = search_file(cipher, std::string("-md ") + digest + (pbkdf2 ? " -pbkdf2" : ""), pbkdf2,
                                                  num_blocks * block_bytes);
          EXPECT_EQ(choice.digest, digest) << cipher << " " << num_blocks << " blocks";
          EXPECT_EQ(choice.padding_bytes, block_bytes);
          EXPECT_TRUE(choice.also_fitting.empty());
        }
      }
    }
  }
}

// A file of one block, made in memory: encrypted with `digest` under a salt made from `number`.
struct OneBlock {
  FileBytes salt, ciphertext;
};

OneBlock encrypt_block(const NamedCipher& cipher, const char* digest, std::uint8_t padding_bytes, unsigned number) {
  OneBlock made{FileBytes(openssl_salt_bytes), FileBytes(cipher.cipher->block_bytes)};
  for (std::size_t i = 0; i < 4; ++i) made.salt[i] = static_cast<std::uint8_t>(number >> (8 * i));
  FileBytes key(key_bytes(cipher)), iv(cipher.cipher->block_bytes);
  derive_key_and_iv({digest, false}, passphrase_bytes(), made.salt, key, iv);
  FileBytes block(cipher.cipher->block_bytes, 'x');
  (void)pad_last_block(Padding::pkcs7, block, block.size() - padding_bytes);
  Cipher(full_name(cipher), key, {.allow_legacy = true}).encrypt(iv, block, made.ciphertext);
  return made;
}

// Salts are tried until the search, over digests whose right one is sha1, finds another one fitting by chance (one in 256).
DigestChoice search_until_chance(std::uint8_t padding_bytes) {
  constexpr const char* digests[] = {"md5", "sha1"};
  const FileBytes typed = passphrase_bytes();
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name("aes-128-cbc");
  search.passphrase = typed;
  for (unsigned number = 0; number < 5000; ++number) {
    const OneBlock made = encrypt_block(search.cipher, "sha1", padding_bytes, number);
    search.salt = made.salt;
    search.last_blocks = made.ciphertext;
    DigestChoice choice = find_digest(search, digests);
    if (!choice.also_fitting.empty() || !choice.shorter.empty()) return choice;
    EXPECT_EQ(choice.digest, "sha1");
    EXPECT_EQ(choice.padding_bytes, padding_bytes);
  }
  ADD_FAILURE() << "5000 salts without a padding by chance";
  return {};
}

TEST(DigestSearch, TakesTheLongestPadding) {
  const DigestChoice choice = search_until_chance(5);
  EXPECT_EQ(choice.digest, "sha1");
  EXPECT_EQ(choice.padding_bytes, 5U);
  EXPECT_EQ(choice.shorter, std::vector<std::string>{"md5"});
  EXPECT_TRUE(choice.also_fitting.empty());
}

TEST(DigestSearch, NamesEquallyLongOnes) {
  const DigestChoice choice = search_until_chance(1);
  EXPECT_EQ(choice.digest, "md5");
  EXPECT_EQ(choice.padding_bytes, 1U);
  EXPECT_EQ(choice.also_fitting, std::vector<std::string>{"sha1"});
  EXPECT_TRUE(choice.shorter.empty());
}

TEST(DigestSearch, AGivenIvReplacesTheDerivedOne) {
  const FileBytes file = run_openssl(
      "enc -aes-256-cbc -md sha1 -iv 000102030405060708090a0b0c0d0e0f" + std::string(passphrase_argument), {}, passphrase);
  const FileBytes typed = passphrase_bytes();
  const OpensslSalt salt = parse_openssl_header(Bytes(file).first(openssl_header_bytes));
  const FileBytes iv = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name("aes256");
  search.passphrase = typed;
  search.salt = salt;
  search.iv = iv;
  search.last_blocks = Bytes(file).subspan(openssl_header_bytes);
  EXPECT_EQ(find_digest(search).digest, "sha1");
}

// The code of the Error that a search ends with; 0 if it finds a digest.
ErrorCode search_code(const DigestSearch& search) {
  return code_of([&] { (void)find_digest(search); });
}

TEST(DigestSearch, AWrongPassphraseFitsNoDigest) {
  const FileBytes wrong = {'w', 'r', 'o', 'n', 'g'};
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name("aes-256-cbc");
  int num_refused = 0;
  for (unsigned number = 0; number < 100; ++number) {
    const OneBlock made = encrypt_block(search.cipher, "sha256", 16, number);
    search.salt = made.salt;
    search.last_blocks = made.ciphertext;
    search.passphrase = wrong;
    num_refused += search_code(search) == ErrorCode::wrong_key ? 1 : 0;
  }
  EXPECT_GE(num_refused, 90) << "chance alone passes four tries in 256";
}

TEST(DigestSearch, NeedsPaddingThatCanBeChecked) {
  const FileBytes typed = passphrase_bytes();
  const OneBlock made = encrypt_block(parse_openssl_cipher_name("aes-256-cbc"), "sha256", 16, 1);
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name("aes-256-cbc");
  search.passphrase = typed;
  search.salt = made.salt;
  search.last_blocks = made.ciphertext;
  EXPECT_EQ(search_code(search), ErrorCode{0});
  for (const Padding padding : {Padding::none, Padding::zero}) {
    search.padding = padding;
    EXPECT_EQ(search_code(search), ErrorCode::usage) << padding_name(padding);
  }
  search.padding = Padding::pkcs7;
  for (const char* name : {"aes-256-ctr", "aes-256-cfb", "aes-256-ofb"}) {
    search.cipher = parse_openssl_cipher_name(name);
    EXPECT_EQ(search_code(search), ErrorCode::usage) << name;
  }
}

TEST(DigestSearch, NeedsWholeBlocks) {
  const FileBytes typed = passphrase_bytes();
  const FileBytes ciphertext(48);
  DigestSearch search;
  search.cipher = parse_openssl_cipher_name("aes-256-cbc");
  search.passphrase = typed;
  for (std::size_t size = 0; size <= ciphertext.size(); ++size) {
    search.last_blocks = Bytes(ciphertext).first(size);
    const bool fits = size == 16 || size == 32;
    EXPECT_EQ(search_code(search) == ErrorCode::truncated, !fits) << size;
  }
}

}  // namespace
}  // namespace phalanx
