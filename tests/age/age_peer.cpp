// age_peer seal RECIPIENT | open IDENTITY_FILE: a whole file of age from standard input to standard output, whose header holds
// stanzas of ours, or is read by them; for tests beside other programs. Written from c2sp.org/age.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "age_file_reader.hpp"
#include "engine/host/host.hpp"
#include "engine/text/characters.hpp"
#include "files/age/key_files.hpp"
#include "files/age/native_keys.hpp"
#include "files/age/raw_base64.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t chunk_bytes = 65536;

std::string seal_chunk(Bytes key, std::uint64_t number, bool is_last, std::string_view plain) {
  std::array<std::uint8_t, 12> nonce{};
  for (std::size_t i = 0; i < 8; ++i) nonce[10 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  nonce[11] = is_last ? 1 : 0;
  std::string sealed(plain.size() + 16, ' ');
  auto* const out = reinterpret_cast<std::uint8_t*>(sealed.data());
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  int size = 0;
  EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nullptr, key.data(), nonce.data(), 1);
  EVP_CipherUpdate(context, out, &size, bytes_of(plain).data(), static_cast<int>(plain.size()));
  EVP_CipherFinal_ex(context, out + plain.size(), &size);
  EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out + plain.size());
  EVP_CIPHER_CTX_free(context);
  return sealed;
}

std::string base64_of(Bytes bytes) {
  std::string text(raw_base64_characters(bytes.size()), ' ');
  encode_raw_base64(bytes, reinterpret_cast<std::uint8_t*>(text.data()));
  return text;
}

std::string seal(const std::string& recipient, std::string_view plain) {
  SecretBytes file_key(age_file_key_bytes), key(32), nonce(16);
  fill_random(file_key);
  fill_random(nonce);
  std::string file = "age-encryption.org/v1\n" + wrap_file_key(read_native_recipient(recipient), file_key) + "---";
  std::array<std::uint8_t, 32> mac{};
  derive_hkdf_sha256(file_key, {}, bytes_of("header"), key);
  HMAC(EVP_sha256(), key.data(), 32, bytes_of(file).data(), file.size(), mac.data(), nullptr);
  file += " " + base64_of(mac) + "\n" + std::string(characters_of(nonce));
  derive_hkdf_sha256(file_key, nonce, bytes_of("payload"), key);
  for (std::uint64_t number = 0;; ++number) {
    const std::string_view chunk = plain.substr(0, chunk_bytes);
    plain.remove_prefix(chunk.size());
    file += seal_chunk(key, number, plain.empty(), chunk);
    if (plain.empty()) return file;
  }
}

std::string open(const std::string& identity_file, std::string_view file) {
  std::ifstream in(identity_file);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  std::vector<SecretBytes> identities;
  for (const AgeIdentity& identity : read_identity_file(content, identity_file)) {
    identities.push_back(read_native_identity(characters_of(identity.text)));
  }
  const ReadAgeFile read = read_text_file(file, identities);
  if (read.outcome != "success") throw Error(ErrorCode::authentication, read.outcome);
  return {read.plain.begin(), read.plain.end()};
}

}  // namespace
}  // namespace phalanx::test

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() != 3) return 2;
  const std::string in{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    std::cout << (arguments[1] == "seal" ? phalanx::test::seal(arguments[2], in) : phalanx::test::open(arguments[2], in));
  } catch (const phalanx::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
