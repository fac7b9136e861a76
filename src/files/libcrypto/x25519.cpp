#include "files/libcrypto/x25519.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

// libcrypto's ladder may leave parts of the secret in so much of the stack.
constexpr std::size_t ladder_stack_bytes = 8192;

struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, KeyFree>;

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute X25519");
}

KeyHandle key_of(Bytes secret) {
  require_libcrypto();
  require(secret.size() == x25519_bytes);
  KeyHandle key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
  require(key != nullptr);
  return key;
}

}  // namespace

X25519PublicKey x25519_public_key(Bytes secret) {
  X25519PublicKey public_key{};
  std::size_t size = public_key.size();
  call_then_wipe_stack<ladder_stack_bytes>([&] {
    const KeyHandle key = key_of(secret);
    require(EVP_PKEY_get_raw_public_key(key.get(), public_key.data(), &size) == 1 && size == public_key.size());
  });
  return public_key;
}

std::optional<SecretBytes> x25519_shared_secret(Bytes secret, const X25519PublicKey& public_key) {
  SecretBytes shared(x25519_bytes);
  std::size_t size = shared.size();
  bool derived = false;
  call_then_wipe_stack<ladder_stack_bytes>([&] {
    const KeyHandle own = key_of(secret);
    const KeyHandle peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, public_key.data(), public_key.size()));
    const std::unique_ptr<EVP_PKEY_CTX, KeyFree> context(EVP_PKEY_CTX_new(own.get(), nullptr));
    require(peer != nullptr && context != nullptr && EVP_PKEY_derive_init(context.get()) == 1 &&
            EVP_PKEY_derive_set_peer(context.get(), peer.get()) == 1);
    derived = EVP_PKEY_derive(context.get(), shared.data(), &size) == 1;  // false where all is zero
  });
  if (!derived) ERR_clear_error();
  const SecretBytes zeros(x25519_bytes);
  if (!derived || size != shared.size() || CRYPTO_memcmp(shared.data(), zeros.data(), shared.size()) == 0) {
    return std::nullopt;
  }
  return shared;
}

}  // namespace phalanx
