// foreign.h and migration.h: what they do is what C++ does; null pointers and impossible sizes are usage errors.
#include <gtest/gtest.h>
#include <phalanx/files/migration.h>

#include <algorithm>
#include <cstring>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()

const std::size_t too_many = SIZE_MAX - 7;

class CMigrating : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer old_key = varied(24, 1), iv = varied(8, 2), key = varied(32, 4), plain = varied(100'007, 3);
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string in = folder.write("in", encrypt_old({.cipher = "des-ede3-cbc", .key = old_key, .iv = iv}, plain));
  std::string out = folder.path_of("out");

  CMigrating() {
    format.cipher = "des-ede3-cbc";
    format.key = old_key.data();
    format.key_bytes = old_key.size();
    format.iv = iv.data();
    format.iv_bytes = iv.size();
  }
};

TEST_F(CMigrating, ReadsForeignData) {
  phalanx_foreign_reader* reader = nullptr;
  ASSERT_EQ(phalanx_foreign_reader_of_file(&reader, in.c_str(), &format, nullptr), PHALANX_OK) << phalanx_last_error();
  Buffer read(plain.size() + 1);
  std::size_t got_bytes = 0;
  EXPECT_EQ(phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes), PHALANX_OK);
  read.resize(got_bytes);
  EXPECT_EQ(read, plain);
  const char* digest = nullptr;
  EXPECT_EQ(phalanx_foreign_reader_digest(reader, &digest), PHALANX_OK);
  EXPECT_STREQ(digest, "");
  EXPECT_USAGE(phalanx_foreign_reader_read(nullptr, read.data(), 1, &got_bytes));
  EXPECT_USAGE(phalanx_foreign_reader_read(reader, nullptr, 1, &got_bytes));
  EXPECT_USAGE(phalanx_foreign_reader_read(reader, read.data(), too_many, &got_bytes));
  EXPECT_USAGE(phalanx_foreign_reader_read(reader, read.data(), 1, nullptr));
  EXPECT_USAGE(phalanx_foreign_reader_digest(nullptr, &digest));
  EXPECT_USAGE(phalanx_foreign_reader_digest(reader, nullptr));
  phalanx_foreign_reader_free(reader);
  phalanx_foreign_reader_free(nullptr);
}

TEST_F(CMigrating, ReadsSaltedDataUnlessItIsToldThatThereIsNoSalt) {
  const Buffer words{'o', 'l', 'd'};
  const std::string unsalted =
      folder.write("unsalted", encrypt_old({.cipher = "des-ede3-cbc", .passphrase = words, .salted = false}, plain));
  phalanx_foreign_format spoken = PHALANX_FOREIGN_FORMAT_INIT;
  spoken.cipher = "des-ede3-cbc";
  spoken.passphrase = words.data();
  spoken.passphrase_bytes = words.size();
  Buffer read(plain.size());
  for (const int salted : {1, 0}) {
    spoken.salted = salted;
    phalanx_foreign_reader* reader = nullptr;
    std::size_t got_bytes = 0;
    int code = phalanx_foreign_reader_of_file(&reader, unsalted.c_str(), &spoken, nullptr);
    if (code == PHALANX_OK) code = phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes);
    EXPECT_EQ(code, salted != 0 ? PHALANX_FORMAT : PHALANX_OK) << phalanx_last_error();
    phalanx_foreign_reader_free(reader);
  }
  EXPECT_EQ(read, plain);
}

TEST_F(CMigrating, ReadsDataUnderAnEmptyPassphrase) {
  const Buffer old = encrypt_old({.cipher = "des-ede3-cbc", .passphrase_is_empty = true}, plain);
  const std::string path = folder.write("empty", old);
  format.key = nullptr;
  format.key_bytes = 0;
  format.iv = nullptr;
  format.iv_bytes = 0;
  phalanx_foreign_reader* reader = nullptr;
  EXPECT_USAGE(phalanx_foreign_reader_of_file(&reader, path.c_str(), &format, nullptr));
  format.passphrase = key.data();  // of no bytes
  ASSERT_EQ(phalanx_foreign_reader_of_file(&reader, path.c_str(), &format, nullptr), PHALANX_OK) << phalanx_last_error();
  Buffer read(plain.size() + 1);
  std::size_t got_bytes = 0;
  EXPECT_EQ(phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(Buffer(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(got_bytes)), plain);
  phalanx_foreign_reader_free(reader);
}

// -S of OpenSSL 3, and -saltlen of 3.2.
TEST_F(CMigrating, ReadsDataUnderSaltsOfOtherLengths) {
  const std::string words = "a passphrase";
  const Bytes passphrase{reinterpret_cast<const std::uint8_t*>(words.data()), words.size()};
  const Buffer salt = varied(11, 4);
  ForeignFormat old{.cipher = "des-ede3-cbc", .passphrase = passphrase, .derivation = {.pbkdf2 = true, .num_iterations = 9}};
  old.salt_bytes = 11;
  const std::string in_header = folder.write("in_header", encrypt_old(old, plain));
  old.salt_bytes = 8;
  old.salt = salt;
  const std::string given = folder.write("given", encrypt_old(old, plain));
  phalanx_foreign_format spoken = PHALANX_FOREIGN_FORMAT_INIT;
  spoken.cipher = "des-ede3-cbc";
  spoken.passphrase = passphrase.data();
  spoken.passphrase_bytes = passphrase.size();
  spoken.pbkdf2 = 1;
  spoken.num_iterations = 9;
  spoken.salt_bytes = 11;
  for (const std::string* const path : {&in_header, &given}) {
    spoken.salt = path == &given ? salt.data() : nullptr;
    phalanx_foreign_reader* reader = nullptr;
    ASSERT_EQ(phalanx_foreign_reader_of_file(&reader, path->c_str(), &spoken, nullptr), PHALANX_OK) << phalanx_last_error();
    Buffer read(plain.size() + 1);
    std::size_t got_bytes = 0;
    EXPECT_EQ(phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes), PHALANX_OK) << phalanx_last_error();
    EXPECT_EQ(Buffer(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(got_bytes)), plain);
    phalanx_foreign_reader_free(reader);
  }
}

TEST_F(CMigrating, AReaderThatFailedGivesNothingMore) {
  const Buffer wrong = varied(24, 9);
  format.key = wrong.data();
  phalanx_foreign_reader* reader = nullptr;
  ASSERT_EQ(phalanx_foreign_reader_of_file(&reader, in.c_str(), &format, nullptr), PHALANX_OK) << phalanx_last_error();
  Buffer read(plain.size(), 0xa5);
  std::size_t got_bytes = 77;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes), PHALANX_WRONG_KEY);
    EXPECT_EQ(got_bytes, 77U);
    EXPECT_EQ(read, Buffer(plain.size(), 0xa5));
  }
  phalanx_foreign_reader_free(reader);
}

TEST_F(CMigrating, ReadsForeignDataByCalls) {
  struct Source {
    Buffer bytes;
    std::size_t offset = 0;
    bool fails = false;
  } source{read_file(in)};
  const phalanx_read_next read_next = [](void* user_data, std::uint8_t* to, std::size_t size, std::size_t* got_bytes) {
    auto& from = *static_cast<Source*>(user_data);
    *got_bytes = std::min(size, from.bytes.size() - from.offset);
    std::copy_n(from.bytes.begin() + static_cast<std::ptrdiff_t>(from.offset), *got_bytes, to);
    from.offset += *got_bytes;
    return from.fails ? 1 : 0;
  };
  for (const bool fails : {false, true}) {
    source.offset = 0;
    source.fails = fails;
    phalanx_foreign_reader* reader = nullptr;
    ASSERT_EQ(phalanx_foreign_reader_new(&reader, read_next, &source, &format, nullptr), PHALANX_OK) << phalanx_last_error();
    Buffer read(plain.size());
    std::size_t got_bytes = 0;
    EXPECT_EQ(phalanx_foreign_reader_read(reader, read.data(), read.size(), &got_bytes),
              fails ? PHALANX_RUNTIME : PHALANX_OK);
    if (!fails) {
      EXPECT_EQ(read, plain);
    }
    phalanx_foreign_reader_free(reader);
  }
  phalanx_foreign_reader* reader = nullptr;
  EXPECT_USAGE(phalanx_foreign_reader_new(nullptr, read_next, &source, &format, nullptr));
  EXPECT_USAGE(phalanx_foreign_reader_new(&reader, nullptr, &source, &format, nullptr));
  EXPECT_USAGE(phalanx_foreign_reader_new(&reader, read_next, &source, nullptr, nullptr));
}

TEST_F(CMigrating, SaysWhereBase64IsBad) {
  const std::string text = "U2FsdGVkX18AAAAAAAAAAAAAAAAAAAAA\nAAAA?AAA\n";
  const std::string bad = folder.write("bad", {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  format.base64 = 1;
  phalanx_migrated migrated = PHALANX_MIGRATED_INIT;
  EXPECT_EQ(phalanx_migrate_file(bad.c_str(), &format, out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr,
                                 &migrated),
            PHALANX_FORMAT)
      << phalanx_last_error();
  EXPECT_EQ(phalanx_last_error_offset(), text.find('?')) << phalanx_last_error();
}

TEST_F(CMigrating, MigratesAndVerifies) {
  std::uint64_t told_bytes = 0;
  phalanx_migration_options how = PHALANX_MIGRATION_OPTIONS_INIT;
  how.user_data = &told_bytes;
  how.on_progress = [](void* user_data, std::uint64_t bytes) { *static_cast<std::uint64_t*>(user_data) += bytes; };
  phalanx_migrated migrated = PHALANX_MIGRATED_INIT;
  ASSERT_EQ(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), "aes-256", &recipient, 1, &how, nullptr, nullptr, &migrated),
      PHALANX_OK)
      << phalanx_last_error();
  EXPECT_EQ(migrated.source_bytes, read_file(in).size());
  EXPECT_EQ(migrated.container_bytes, read_file(out).size());
  EXPECT_STREQ(migrated.sha256, "");
  EXPECT_EQ(migrated.doubt, PHALANX_DOUBT_CHANCE);
  EXPECT_STRNE(migrated.doubt_sentence, "");
  EXPECT_GT(told_bytes, plain.size());
  phalanx_verified verified = PHALANX_VERIFIED_INIT;
  ASSERT_EQ(phalanx_verify_container(out.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, &verified), PHALANX_OK)
      << phalanx_last_error();
  EXPECT_EQ(verified.plain_bytes, plain.size());
  EXPECT_STREQ(verified.sha256, "");
  how.replace = how.sha256 = 1;
  ASSERT_EQ(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), "aes-256", &recipient, 1, &how, nullptr, nullptr, &migrated),
      PHALANX_OK)
      << phalanx_last_error();
  EXPECT_EQ(std::strlen(migrated.sha256), 64U);
  phalanx_verification_options with_digest = PHALANX_VERIFICATION_OPTIONS_INIT;
  with_digest.sha256 = 1;
  ASSERT_EQ(phalanx_verify_container(out.c_str(), &identity, 1, nullptr, &with_digest, nullptr, nullptr, &verified),
            PHALANX_OK);
  EXPECT_STREQ(verified.sha256, migrated.sha256);
  EXPECT_EQ(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &migrated),
      PHALANX_USAGE)
      << "OUT exists";
  EXPECT_USAGE(
      phalanx_migrate_file(nullptr, &format, out.c_str(), "aes-256", &recipient, 1, &how, nullptr, nullptr, &migrated));
  EXPECT_USAGE(
      phalanx_migrate_file(in.c_str(), nullptr, out.c_str(), "aes-256", &recipient, 1, &how, nullptr, nullptr, &migrated));
  EXPECT_USAGE(
      phalanx_migrate_file(in.c_str(), &format, nullptr, "aes-256", &recipient, 1, &how, nullptr, nullptr, &migrated));
  EXPECT_USAGE(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), nullptr, &recipient, 1, &how, nullptr, nullptr, &migrated));
  EXPECT_USAGE(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), "aes-256", nullptr, 1, &how, nullptr, nullptr, &migrated));
  EXPECT_USAGE(
      phalanx_migrate_file(in.c_str(), &format, out.c_str(), "aes-256", &recipient, 1, &how, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_verify_container(nullptr, &identity, 1, nullptr, nullptr, nullptr, nullptr, &verified));
  EXPECT_USAGE(phalanx_verify_container(out.c_str(), nullptr, 1, nullptr, nullptr, nullptr, nullptr, &verified));
  EXPECT_USAGE(phalanx_verify_container(out.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
}

TEST(CPadding, AddsAndChecks) {
  std::uint8_t block[8] = {1, 2, 3};
  std::size_t size = 0;
  EXPECT_EQ(phalanx_padding_add("pkcs7", block, 8, 3, &size), PHALANX_OK);
  EXPECT_EQ(size, 8U);
  EXPECT_EQ(block[7], 5);
  EXPECT_EQ(phalanx_padding_check("pkcs7", block, 8, &size), PHALANX_OK);
  EXPECT_EQ(size, 3U);
  block[7] = 9;
  EXPECT_EQ(phalanx_padding_check("pkcs7", block, 8, &size), PHALANX_WRONG_KEY);
  EXPECT_USAGE(phalanx_padding_add("pkcs8", block, 8, 3, &size));
  EXPECT_USAGE(phalanx_padding_add(nullptr, block, 8, 3, &size));
  EXPECT_USAGE(phalanx_padding_add("pkcs7", nullptr, 8, 3, &size));
  EXPECT_USAGE(phalanx_padding_add("pkcs7", block, 8, 8, &size));
  EXPECT_USAGE(phalanx_padding_add("pkcs7", block, 0, 0, &size));
  EXPECT_USAGE(phalanx_padding_add("pkcs7", block, 8, 3, nullptr));
  EXPECT_USAGE(phalanx_padding_check(nullptr, block, 8, &size));
  EXPECT_USAGE(phalanx_padding_check("pkcs7", nullptr, 8, &size));
  EXPECT_USAGE(phalanx_padding_check("pkcs7", block, 0, &size));
  EXPECT_USAGE(phalanx_padding_check("pkcs7", block, 8, nullptr));
}

TEST(CDerivation, IsWhatCPlusPlusDerives) {
  const Buffer passphrase = varied(9, 1), salt = varied(8, 2);
  Buffer out(48), expected(48);
  const auto* const p = passphrase.data();
  EXPECT_EQ(phalanx_derive_pbkdf2("sha256", p, 9, salt.data(), 8, 100, out.data(), 48), PHALANX_OK);
  derive_pbkdf2("sha256", passphrase, salt, 100, expected);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(phalanx_derive_bytes_to_key("md5", p, 9, salt.data(), 8, out.data(), 48), PHALANX_OK);
  derive_bytes_to_key("md5", passphrase, salt, expected);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(phalanx_derive_scrypt(p, 9, salt.data(), 8, 4, 8, 1, out.data(), 48), PHALANX_OK);
  derive_scrypt(passphrase, salt, 4, 8, 1, expected);
  EXPECT_EQ(out, expected);
  EXPECT_USAGE(phalanx_derive_pbkdf2(nullptr, p, 9, salt.data(), 8, 100, out.data(), 48));
  EXPECT_USAGE(phalanx_derive_pbkdf2("sha256", nullptr, 9, salt.data(), 8, 100, out.data(), 48));
  EXPECT_USAGE(phalanx_derive_pbkdf2("sha256", p, 9, nullptr, 8, 100, out.data(), 48));
  EXPECT_USAGE(phalanx_derive_pbkdf2("sha256", p, 9, salt.data(), 8, 0, out.data(), 48));
  EXPECT_USAGE(phalanx_derive_pbkdf2("sha256", p, 9, salt.data(), 8, 100, nullptr, 48));
  EXPECT_USAGE(phalanx_derive_bytes_to_key(nullptr, p, 9, salt.data(), 8, out.data(), 48));
  EXPECT_USAGE(phalanx_derive_scrypt(p, too_many, salt.data(), 8, 4, 8, 1, out.data(), 48));
}

}  // namespace
}  // namespace phalanx::test
