#include "files/foreign/openssl_enc.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <string>

#include "engine/host/host.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/base64_text.hpp"

namespace phalanx {
namespace {

constexpr std::array<std::uint8_t, openssl_magic_bytes> magic = {'S', 'a', 'l', 't', 'e', 'd', '_', '_'};

}  // namespace

OpensslEncoding openssl_encoding_of(Bytes beginning) {
  const bool is_binary = beginning.size() >= magic.size() && std::equal(magic.begin(), magic.end(), beginning.begin());
  if (is_binary) return OpensslEncoding::binary;
  return begins_as_salted_base64(beginning) ? OpensslEncoding::base64 : OpensslEncoding::none;
}

Bytes salt_in(Bytes beginning, std::size_t salt_bytes) {
  if (beginning.empty()) throw Error(ErrorCode::truncated, "the input is empty; an openssl file begins with 'Salted__'");
  const std::size_t num_magic = std::min(beginning.size(), magic.size());
  if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(num_magic), beginning.begin())) {
    throw Error(ErrorCode::format,
                "the input does not begin with 'Salted__'; is it base64, without salt, or another format?");
  }
  const std::size_t header_bytes = magic.size() + salt_bytes;
  if (beginning.size() < header_bytes) {
    throw Error(ErrorCode::truncated, "the input ends after " + std::to_string(beginning.size()) + " bytes, within the " +
                                          std::to_string(header_bytes) + " bytes of its 'Salted__' header");
  }
  return beginning.subspan(magic.size(), salt_bytes);
}

OpensslSalt parse_openssl_header(Bytes beginning) {
  OpensslSalt salt;
  std::ranges::copy(salt_in(beginning, salt.size()), salt.begin());
  return salt;
}

OpensslHeader make_openssl_header(const OpensslSalt& salt) {
  OpensslHeader header;
  std::ranges::copy(magic, header.begin());
  std::ranges::copy(salt, header.begin() + magic.size());
  return header;
}

OpensslSalt random_openssl_salt() {
  OpensslSalt salt;
  fill_random(salt);
  return salt;
}

inline namespace PHALANX_VERSION_NAMESPACE {

void derive_key_and_iv(const OpensslDerivation& derivation, Bytes passphrase, Bytes salt, MutableBytes key,
                       MutableBytes iv) {
  SecretBytes both(key.size() + iv.size());
  if (derivation.pbkdf2) {
    derive_pbkdf2(derivation.digest, passphrase, salt, derivation.num_iterations, both);
  } else {
    derive_bytes_to_key(derivation.digest, passphrase, salt, both);
  }
  const Bytes derived = both;
  std::ranges::copy(derived.first(key.size()), key.begin());
  std::ranges::copy(derived.subspan(key.size()), iv.begin());
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
