// Which digest a file of `openssl enc` was written with, found among the four that are tried.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "files/foreign/search/find_candidate.hpp"
#include "files/foreign/search/opened_file.hpp"
#include "tests/foreign/format_fixture.hpp"
#include "tests/foreign/openssl_program.hpp"

namespace phalanx {
namespace {

const std::string passphrase = "old files, old habits";

ForeignFormat format_of(const std::string& cipher, Bytes secret) {
  return {.cipher = cipher, .passphrase = secret, .find_digest = true};
}

Input file_of(Bytes content) {
  FileDescriptor file(::memfd_create("old", MFD_CLOEXEC));
  write_all(file.get(), content, "old");
  Input input(std::move(file), "old");
  input.seek(0);
  return input;
}

MatchedCandidate search(const ForeignFormat& format, Bytes content) {
  const Candidates candidates =
      make_candidates(plan_foreign(format, EngineOptions{"cpu:scalar", 1}), SecretBytes(format.passphrase));
  Input input = file_of(content);
  KeyTrials trials;
  return find_candidate(candidates, input, trials);
}

std::string digest_of(const MatchedCandidate& choice) { return choice.plan.openssl.derivation.digest; }

// Messages of whole blocks end in a whole block of padding, which chance does not imitate.
TEST(DigestSearch, FindsTheDigestOfOpensslsFiles) {
  const FileBytes secret = to_bytes(passphrase);
  for (const char* cipher : {"des-ede3-cbc", "des3", "aes-256-cbc", "aes-128-ecb"}) {
    ForeignFormat format = format_of(cipher, secret);
    const std::size_t block_bytes = parse_openssl_cipher_name(cipher).block_bytes;
    for (const char* const digest : digest_search_order) {
      for (const std::size_t num_blocks : {0U, 1U, 3U}) {
        for (const bool pbkdf2 : {false, true}) {
          format.derivation.pbkdf2 = pbkdf2;
          const std::string options = std::string("enc -") + cipher + " -md " + digest + (pbkdf2 ? " -pbkdf2" : "");
          const FileBytes plain(num_blocks * block_bytes, 'x');
          const MatchedCandidate choice = search(format, run_openssl(options + passphrase_argument, plain, passphrase));
          EXPECT_EQ(digest_of(choice), digest) << cipher << " " << num_blocks << " blocks";
          EXPECT_EQ(choice.with.padding_bytes, block_bytes);
          EXPECT_LT(choice.with.other_padding_bytes, block_bytes);  // chance gives one byte now and then
        }
      }
    }
  }
}

// A file of one block, made in memory: encrypted with `digest` under a salt made from `number`.
FileBytes encrypt_block(const char* digest, std::uint8_t padding_bytes, unsigned number) {
  OpensslSalt salt{};
  for (std::size_t i = 0; i < 4; ++i) salt[i] = static_cast<std::uint8_t>(number >> (8 * i));
  FileBytes key(32), iv(16), block(16);
  derive_key_and_iv({digest, false}, to_bytes(passphrase), salt, key, iv);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(0x80 + 7 * i);  // no text
  (void)pad_last_block(Padding::pkcs7, block, block.size() - padding_bytes);
  Cipher("aes-256-cbc", key, {.engine = "cpu:scalar", .num_threads = 1}).encrypt(iv, block, block);
  const OpensslHeader header = make_openssl_header(salt);
  FileBytes file(header.begin(), header.end());
  file.insert(file.end(), block.begin(), block.end());
  return file;
}

// Salts are tried until the search, over md5 and sha1, of which the latter is right, finds the other fitting by chance (one
// in 256).
MatchedCandidate search_until_chance(std::uint8_t padding_bytes) {
  const FileBytes secret = to_bytes(passphrase);
  const ForeignFormat format = format_of("aes-256-cbc", secret);
  Candidates candidates = make_candidates(plan_foreign(format, EngineOptions{"cpu:scalar", 1}), SecretBytes(Bytes(secret)));
  std::erase_if(candidates.list, [](const Candidate& one) { return one.name != "md5" && one.name != "sha1"; });
  KeyTrials trials;
  for (unsigned number = 0; number < 5000; ++number) {
    Input input = file_of(encrypt_block("sha1", padding_bytes, number));
    MatchedCandidate choice = find_candidate(candidates, input, trials);
    if (!choice.with.also_fits.empty()) return choice;
    EXPECT_EQ(digest_of(choice), "sha1");
    EXPECT_EQ(choice.with.padding_bytes, padding_bytes);
  }
  ADD_FAILURE() << "5000 salts without a padding by chance";
  return {};
}

TEST(DigestSearch, TakesTheLongestPadding) {
  const MatchedCandidate choice = search_until_chance(5);
  EXPECT_EQ(digest_of(choice), "sha1");
  EXPECT_EQ(choice.with.padding_bytes, 5U);
  EXPECT_EQ(choice.with.also_fits, std::vector<std::string>{"aes-256-cbc, md5"});
  EXPECT_EQ(choice.with.other_padding_bytes, 1U);
}

TEST(DigestSearch, NamesEquallyLongOnes) {
  const MatchedCandidate choice = search_until_chance(1);
  EXPECT_EQ(digest_of(choice), "md5");
  EXPECT_EQ(choice.with.padding_bytes, 1U);
  EXPECT_EQ(choice.with.also_fits, std::vector<std::string>{"aes-256-cbc, sha1"});
  EXPECT_EQ(choice.with.other_padding_bytes, 1U);
}

TEST(DigestSearch, AGivenIvReplacesTheDerivedOne) {
  const FileBytes secret = to_bytes(passphrase), iv = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const FileBytes file = run_openssl(
      "enc -aes-256-cbc -md sha1 -iv 000102030405060708090a0b0c0d0e0f" + std::string(passphrase_argument), {}, passphrase);
  ForeignFormat format = format_of("aes256", secret);
  format.iv = iv;
  EXPECT_EQ(digest_of(search(format, file)), "sha1");
}

TEST(DigestSearch, AWrongPassphraseFitsNoDigest) {
  const FileBytes wrong = to_bytes("wrong");
  int num_refused = 0;
  for (unsigned number = 0; number < 100; ++number) {
    const FileBytes file = encrypt_block("sha256", 16, number);
    const auto code = code_of([&] { (void)search(format_of("aes-256-cbc", wrong), file); });
    num_refused += code == ErrorCode::wrong_key ? 1 : 0;
  }
  EXPECT_GE(num_refused, 90) << "chance alone passes four tries in 256";
}

TEST(DigestSearch, NeedsPaddingThatCanBeChecked) {
  const FileBytes secret = to_bytes(passphrase), file = encrypt_block("sha256", 16, 1);
  ForeignFormat format = format_of("aes-256-cbc", secret);
  EXPECT_EQ(digest_of(search(format, file)), "sha256");
  for (const Padding padding : {Padding::none, Padding::zero}) {
    format.padding = padding;
    EXPECT_EQ(code_of([&] { (void)search(format, file); }), ErrorCode::usage) << padding_name(padding);
  }
  for (const char* name : {"aes-256-ctr", "aes-256-cfb", "aes-256-ofb"}) {
    EXPECT_EQ(code_of([&] { (void)search(format_of(name, secret), file); }), ErrorCode::usage) << name;
  }
}

TEST(DigestSearch, NeedsWholeBlocks) {
  const FileBytes secret = to_bytes(passphrase);
  FileBytes file = encrypt_block("sha256", 16, 1);
  file.resize(openssl_header_bytes + 48);
  for (std::size_t size = openssl_header_bytes; size <= file.size(); ++size) {
    const auto code = code_of([&] { (void)search(format_of("aes-256-cbc", secret), Bytes(file).first(size)); });
    const bool fits = size > openssl_header_bytes && (size - openssl_header_bytes) % 16 == 0;
    EXPECT_EQ(code == ErrorCode::truncated, !fits) << size;
  }
}

// What the search has derived is what the message is read with: no key is derived twice.
TEST(DigestSearch, DerivesEachKeyOnce) {
  const FileBytes secret = to_bytes(passphrase), file = encrypt_block("md5", 16, 1);
  const Candidates candidates = make_candidates(
      plan_foreign(format_of("aes-256-cbc", secret), EngineOptions{"cpu:scalar", 1}), SecretBytes(Bytes(secret)));
  Input input = file_of(file);
  KeyTrials trials;
  MatchedCandidate choice = find_candidate(candidates, input, trials);
  FileBytes key(32), iv(16);
  derive_key_and_iv({"md5", false}, secret, Bytes(file).subspan(8, 8), key, iv);
  ASSERT_EQ(choice.derived.size(), 48U);
  EXPECT_TRUE(std::equal(key.begin(), key.end(), choice.derived.begin()));
  EXPECT_TRUE(std::equal(iv.begin(), iv.end(), choice.derived.begin() + 32));
  const SecretBytes other = SecretBytes(48);  // all zeros: what is given is used, and nothing derived in its place
  ForeignMessage message(choice.plan, secret, input, other);
  EXPECT_EQ(message.iv().bytes, ChainValue{}.bytes);
}

}  // namespace
}  // namespace phalanx
