#include "files/container/index/index_authenticator.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/host/host.hpp"
#include "engine/text/characters.hpp"
#include "files/libcrypto/ed25519.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr std::string_view domain("PHALANX index 1\0", 16);

std::vector<std::uint8_t> in_domain(Bytes bytes) {
  std::vector<std::uint8_t> all(domain.size() + bytes.size());
  std::ranges::copy(bytes, std::ranges::copy(domain, all.begin()).out);
  return all;
}

IndexKeyId id_of(Bytes public_key) {
  Sha256 digest;
  digest.update(in_domain(bytes_of("id")));
  digest.update(public_key);
  const Sha256Digest whole = digest.finish_bytes();
  IndexKeyId id;
  std::copy_n(whole.begin(), id.size(), id.begin());
  return id;
}

}  // namespace

IndexAuthenticator::IndexAuthenticator(const IndexKey& key) : kind_(key.kind), key_(authenticator_bytes) {
  if (key.bytes.size() != index_key_bytes) throw Error(ErrorCode::usage, "the key of an index has 32 bytes: give one");
  if (kind_ == IndexKeyKind::secret) {
    expand_hkdf_sha512(key.bytes, in_domain(bytes_of("mac")), key_);
    expand_hkdf_sha512(key.bytes, in_domain(bytes_of("id")), id_);
    return;
  }
  std::ranges::copy(key.bytes, public_key_.begin());
  if (kind_ == IndexKeyKind::signing) {
    key_ = SecretBytes(key.bytes);
    find_ed25519_public_key(key.bytes, public_key_);
  }
  id_ = id_of(public_key_);
}

Authenticator IndexAuthenticator::authenticate(const Sha256Digest& digest) const {
  if (!can_write()) throw Error(ErrorCode::usage, "a public key signs no index: give the one that signs");
  Authenticator authenticator{};
  if (kind_ == IndexKeyKind::signing) {
    sign_ed25519(key_, in_domain(digest), authenticator);
  } else {
    compute_hmac_sha512(key_, in_domain(digest), authenticator);
  }
  return authenticator;
}

bool IndexAuthenticator::is_authentic(const Sha256Digest& digest, const Authenticator& authenticator) const {
  if (signs()) return is_signed_ed25519(public_key_, in_domain(digest), authenticator);
  const Authenticator expected = authenticate(digest);
  return CRYPTO_memcmp(expected.data(), authenticator.data(), expected.size()) == 0;
}

}  // namespace phalanx
