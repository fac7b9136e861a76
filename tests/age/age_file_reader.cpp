#include "age_file_reader.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "files/age/raw_base64.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx::test {
namespace {

constexpr std::string_view version_line = "age-encryption.org/v1\n";
constexpr std::size_t payload_chunk_bytes = 65536, tag_bytes = 16, nonce_bytes = 16;

struct Header {
  std::vector<AgeStanza> stanzas;
  std::string_view authenticated;
  SecretBytes mac;
  std::string_view payload;
};

Header read_header(std::string_view file) {
  const auto require = [](bool good) {
    if (!good) throw Error(ErrorCode::format, "no header of age");
  };
  require(file.starts_with(version_line));
  Header header;
  std::string_view rest = file.substr(version_line.size());
  while (!rest.starts_with("---")) header.stanzas.push_back(read_age_stanza(rest));
  require(!header.stanzas.empty());
  header.authenticated = file.substr(0, file.size() - rest.size() + 3);
  require(rest.size() >= 4 + 43 + 1 && rest[3] == ' ' && rest[4 + 43] == '\n');
  std::optional<SecretBytes> mac = decode_raw_base64(rest.substr(4, 43));
  require(mac.has_value());
  header.mac = std::move(*mac);
  header.payload = rest.substr(4 + 43 + 1);
  return header;
}

std::optional<SecretBytes> file_key_of(const Header& header, const std::vector<SecretBytes>& identities) {
  for (const SecretBytes& identity : identities) {
    for (const AgeStanza& stanza : header.stanzas) {
      if (std::optional<SecretBytes> key = unwrap_file_key(identity, stanza)) return key;
    }
  }
  return std::nullopt;
}

bool is_mac_right(const Header& header, Bytes file_key) {
  std::array<std::uint8_t, 32> key{}, mac{};
  derive_hkdf_sha256(file_key, {}, bytes_of("header"), key);
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const std::uint8_t*>(header.authenticated.data()), header.authenticated.size(), mac.data(), nullptr);
  return std::ranges::equal(mac, Bytes(header.mac));
}

std::optional<std::vector<std::uint8_t>> open_chunk(Bytes key, std::uint64_t number, bool is_last, Bytes sealed) {
  if (sealed.size() < tag_bytes) return std::nullopt;
  std::array<std::uint8_t, 12> nonce{};
  for (int i = 0; i < 8; ++i) nonce[10 - static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
  nonce[11] = is_last ? 1 : 0;
  std::vector<std::uint8_t> plain(sealed.size() - tag_bytes), tag(sealed.end() - tag_bytes, sealed.end());
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  std::uint8_t nothing = 0;
  int size = 0;
  const bool good = EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nullptr, key.data(), nonce.data(), 0) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag.data()) == 1 &&
                    EVP_CipherUpdate(context, plain.empty() ? &nothing : plain.data(), &size, sealed.data(),
                                     static_cast<int>(plain.size())) == 1 &&
                    EVP_CipherFinal_ex(context, &nothing, &size) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!good) return std::nullopt;
  return plain;
}

// True if all of it is authentic.
bool open_payload(std::string_view payload, Bytes file_key, std::vector<std::uint8_t>& plain) {
  std::array<std::uint8_t, 32> key{};
  derive_hkdf_sha256(file_key, bytes_of(payload.substr(0, nonce_bytes)), bytes_of("payload"), key);
  Bytes rest = bytes_of(payload.substr(nonce_bytes));
  for (std::uint64_t number = 0;; ++number) {
    const Bytes sealed = rest.first(std::min(rest.size(), payload_chunk_bytes + tag_bytes));
    const bool is_last = sealed.size() == rest.size();
    auto chunk = open_chunk(key, number, is_last, sealed);
    const bool is_empty_after_others = chunk && chunk->empty() && number != 0;
    if (!chunk || is_empty_after_others) {
      // A final chunk with more behind it is authentic all the same.
      if (!is_last && (chunk = open_chunk(key, number, true, sealed)))
        plain.insert(plain.end(), chunk->begin(), chunk->end());
      return false;
    }
    plain.insert(plain.end(), chunk->begin(), chunk->end());
    if (is_last) return true;
    rest = rest.subspan(sealed.size());
  }
}

}  // namespace

ReadAgeFile read_text_file(std::string_view file, const std::vector<SecretBytes>& identities) {
  ReadAgeFile read;
  std::optional<SecretBytes> file_key;
  Header header;
  try {
    header = read_header(file);
    file_key = file_key_of(header, identities);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    read.outcome = "header failure";
    return read;
  }
  if (!file_key) {
    read.outcome = "no match";
  } else if (!is_mac_right(header, *file_key)) {
    read.outcome = "HMAC failure";
  } else if (header.payload.size() < nonce_bytes) {
    read.outcome = "header failure";  // as the vectors have it: the nonce stands before the chunks
  } else {
    read.file_key.assign(file_key->begin(), file_key->end());
    read.outcome = open_payload(header.payload, *file_key, read.plain) ? "success" : "payload failure";
  }
  return read;
}

}  // namespace phalanx::test
