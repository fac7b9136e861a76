// Wrapped keys by the standards' own examples.
#include <gtest/gtest.h>

#include <map>
#include <phalanx/files/key_derivation.hpp>

#include "files/foreign/cms/password_wrap.hpp"
#include "files/libcrypto/key_wrapping.hpp"
#include "tests/vector_file.hpp"

namespace phalanx {
namespace {

using test::ByteVector;
using test::Record;

std::vector<Record> records(bool of_passphrases) {
  std::vector<Record> found;
  for (const Record& record : test::load_records(test::vectors_folder() / "cms" / "key_wraps.txt")) {
    if ((record.text("wrap") == "passphrase") == of_passphrases) found.push_back(record);
  }
  return found;
}

ByteVector copy_of(const std::optional<SecretBytes>& key) {
  return key ? ByteVector(key->begin(), key->end()) : ByteVector();
}

KeyWrap wrap_of(const Record& record) {
  const std::map<std::string, KeyWrap> wraps = {{"aes_128", KeyWrap::aes_128},
                                                {"aes_192", KeyWrap::aes_192},
                                                {"aes_256", KeyWrap::aes_256},
                                                {"triple_des", KeyWrap::triple_des}};
  return wraps.at(record.text("wrap"));
}

TEST(KeyWrapping, UnwrapsTheExamplesAndNothingElse) {
  const std::vector<Record> all = records(false);
  EXPECT_EQ(all.size(), 4U);
  for (const Record& record : all) {
    const KeyWrap wrap = wrap_of(record);
    const ByteVector kek = record.bytes("kek"), wrapped = record.bytes("wrapped");
    EXPECT_EQ(key_bytes_of(wrap), kek.size());
    EXPECT_EQ(copy_of(unwrap_key(wrap, kek, wrapped)), record.bytes("key")) << record.text("where");
    for (std::size_t at = 0; at < wrapped.size(); ++at) {
      ByteVector changed = wrapped;
      changed[at] ^= 4;
      EXPECT_FALSE(unwrap_key(wrap, kek, changed).has_value()) << record.text("where") << ' ' << at;
    }
    for (std::size_t size = 0; size < wrapped.size(); ++size)
      EXPECT_FALSE(unwrap_key(wrap, kek, Bytes(wrapped).first(size)).has_value()) << size;
    EXPECT_FALSE(unwrap_key(wrap, kek, ByteVector(100000)).has_value());
  }
}

TEST(PasswordWrap, UnwrapsTheExamplesAndNothingElse) {
  const std::vector<Record> all = records(true);
  EXPECT_EQ(all.size(), 2U);
  for (const Record& record : all) {
    ContentCipher cipher;
    cipher.cipher = parse_foreign_cipher_name(record.text("cipher"));
    cipher.iv = record.bytes("iv");
    ByteVector kek(cipher.cipher.key_bytes);
    const std::string passphrase = record.text("passphrase");
    derive_pbkdf2("SHA1", bytes_of(passphrase), record.bytes("salt"), std::stoi(record.text("iterations")), kek);
    EXPECT_EQ(kek, record.bytes("kek"));
    const ByteVector wrapped = record.bytes("wrapped");
    EXPECT_EQ(copy_of(unwrap_under_passphrase(cipher, kek, wrapped)), record.bytes("key")) << record.text("where");
    ByteVector wrong = kek;
    wrong[0] ^= 2;
    EXPECT_FALSE(unwrap_under_passphrase(cipher, wrong, wrapped).has_value());
    for (std::size_t size = 0; size < 2 * cipher.cipher.block_bytes; ++size)
      EXPECT_FALSE(unwrap_under_passphrase(cipher, kek, Bytes(wrapped).first(size)).has_value()) << size;
    EXPECT_FALSE(unwrap_under_passphrase(cipher, kek, ByteVector(8000)).has_value());
  }
}

}  // namespace
}  // namespace phalanx
