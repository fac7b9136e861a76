// Whole files of `openssl enc`, both ways: header, derivation, cipher, padding and base64 together.
#include <gtest/gtest.h>

#include <cstdint>
#include <phalanx/cipher.hpp>
#include <phalanx/files/padding.hpp>
#include <string>
#include <vector>

#include "engine/text/base64.hpp"
#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "tests/foreign/openssl_program.hpp"

namespace phalanx {
namespace {

struct FileCase {
  const char* cipher;   // as openssl names it
  const char* options;  // -md and the like
  OpensslDerivation derivation;
  bool salted = true;
};

const FileCase file_cases[] = {
    {"des-ede3-cbc", "-md md5", {"md5", false}},
    {"des-ede3-cbc", "-md sha1", {"sha1", false}},
    {"des-ede3-cbc", "-md sha256", {"sha256", false}},
    {"des-ede3-cbc", "-pbkdf2", {"sha256", true}},
    {"des-ede3-cbc", "-pbkdf2 -md sha512 -iter 77", {"sha512", true, 77}},
    {"des-ede3-cbc", "-md md5 -nosalt", {"md5", false}, false},
    {"des-ede3-cbc", "-pbkdf2 -nosalt", {"sha256", true}, false},
    {"des3", "-md sha256", {"sha256", false}},
    {"des-ede3", "-md sha256", {"sha256", false}},
    {"des-ede-cbc", "-md md5", {"md5", false}},
    {"des-ede3-cfb", "-pbkdf2", {"sha256", true}},
    {"des-ede3-ofb", "-pbkdf2", {"sha256", true}},
    {"aes256", "-pbkdf2", {"sha256", true}},
    {"aes-128-ecb", "-pbkdf2", {"sha256", true}},
    {"aes-256-ctr", "-pbkdf2", {"sha256", true}},
    {"aes-192-cfb", "-pbkdf2", {"sha256", true}},
};

const std::string passphrase = "a phrase of several words";
constexpr std::size_t message_sizes[] = {0, 1, 7, 8, 15, 16, 17, 1000, 4096};

FileBytes passphrase_bytes() { return {passphrase.begin(), passphrase.end()}; }

FileBytes make_message(std::size_t size) {
  FileBytes message(size);
  for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<std::uint8_t>(i * i + 3 * i);
  return message;
}

struct Keyed {
  ForeignCipher named;
  FileBytes key, iv;
};

Keyed derive(const FileCase& file_case, Bytes salt) {
  Keyed keyed{parse_openssl_cipher_name(file_case.cipher), {}, {}};
  keyed.key.resize(key_bytes(keyed.named));
  keyed.iv.resize(keyed.named.mode == Mode::ecb ? 0 : keyed.named.block_bytes);
  derive_key_and_iv(file_case.derivation, passphrase_bytes(), salt, keyed.key, keyed.iv);
  return keyed;
}

FileBytes open_file(const FileCase& file_case, FileBytes file) {
  FileBytes salt;
  if (file_case.salted) {
    const OpensslSalt parsed = parse_openssl_header(Bytes(file).first(openssl_header_bytes));
    salt.assign(parsed.begin(), parsed.end());
    file.erase(file.begin(), file.begin() + openssl_header_bytes);
  }
  const Keyed keyed = derive(file_case, salt);
  FileBytes message(file.size());
  Cipher(full_name(keyed.named), keyed.key).decrypt(keyed.iv, file, message);
  if (takes_padding(keyed.named.mode)) {
    const std::size_t block_bytes = keyed.named.block_bytes;
    message.resize(message.size() - block_bytes + remove_padding(Padding::pkcs7, Bytes(message).last(block_bytes)));
  }
  return message;
}

FileBytes write_file(const FileCase& file_case, FileBytes message) {
  FileBytes salt, file;
  if (file_case.salted) {
    const OpensslSalt random = random_openssl_salt();
    const OpensslHeader header = make_openssl_header(random);
    salt.assign(random.begin(), random.end());
    file.assign(header.begin(), header.end());
  }
  const Keyed keyed = derive(file_case, salt);
  if (takes_padding(keyed.named.mode)) {
    const std::size_t block_bytes = keyed.named.block_bytes;
    const std::size_t used = message.size() % block_bytes;
    message.resize(message.size() - used + block_bytes);
    (void)pad_last_block(Padding::pkcs7, MutableBytes(message).last(block_bytes), used);
  }
  const std::size_t start = file.size();
  file.resize(start + message.size());
  Cipher(full_name(keyed.named), keyed.key, {}, {.allow_legacy = true})
      .encrypt(keyed.iv, message, MutableBytes(file).subspan(start));
  return file;
}

FileBytes encode_base64(const FileBytes& file) {
  Base64Encoder encoder;
  FileBytes text(Base64Encoder::max_update_bytes(file.size()) + Base64Encoder::max_finish_bytes);
  const std::size_t written = encoder.update(file, text);
  text.resize(written + encoder.finish(MutableBytes(text).subspan(written)));
  return text;
}

FileBytes decode_base64(const FileBytes& text) {
  Base64Decoder decoder;
  FileBytes file(Base64Decoder::max_update_bytes(text.size()));
  file.resize(decoder.update(text, file));
  decoder.finish();
  return file;
}

std::string command(const FileCase& file_case, const std::string& more) {
  return "enc -" + std::string(file_case.cipher) + " " + file_case.options + " " + more + passphrase_argument;
}

TEST(OpensslFiles, WeOpenTheirs) {
  for (const FileCase& file_case : file_cases) {
    for (const std::size_t size : message_sizes) {
      const FileBytes message = make_message(size);
      EXPECT_EQ(open_file(file_case, run_openssl(command(file_case, ""), message, passphrase)), message)
          << file_case.cipher << " " << file_case.options << " " << size;
    }
  }
}

TEST(OpensslFiles, TheyOpenOurs) {
  for (const FileCase& file_case : file_cases) {
    for (const std::size_t size : message_sizes) {
      const FileBytes message = make_message(size);
      EXPECT_EQ(run_openssl(command(file_case, "-d"), write_file(file_case, message), passphrase), message)
          << file_case.cipher << " " << file_case.options << " " << size;
    }
  }
}

TEST(OpensslFiles, Base64BothWays) {
  const FileCase& file_case = file_cases[3];
  for (const std::size_t size : message_sizes) {
    const FileBytes message = make_message(size);
    for (const char* lines : {"-a", "-a -A"}) {
      EXPECT_EQ(open_file(file_case, decode_base64(run_openssl(command(file_case, lines), message, passphrase))), message);
    }
    const FileBytes text = encode_base64(write_file(file_case, message));
    EXPECT_EQ(run_openssl(command(file_case, "-d -a"), text, passphrase), message) << size;
  }
}

}  // namespace
}  // namespace phalanx
