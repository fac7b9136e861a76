#include "files/libcrypto/ed25519.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"

namespace phalanx {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute Ed25519");
}

Key private_key_of(Bytes bytes) {
  require_libcrypto();
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes.data(), bytes.size()), EVP_PKEY_free);
  require(key != nullptr);
  return key;
}

Context new_context() {
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(context != nullptr);
  return context;
}

}  // namespace

void find_ed25519_public_key(Bytes private_key, MutableBytes public_key) {
  const Key key = private_key_of(private_key);
  std::size_t size = public_key.size();
  require(EVP_PKEY_get_raw_public_key(key.get(), public_key.data(), &size) == 1 && size == ed25519_key_bytes);
}

void sign_ed25519(Bytes private_key, Bytes message, MutableBytes signature) {
  const Key key = private_key_of(private_key);
  const Context context = new_context();
  std::size_t size = signature.size();
  require(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
          EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) == 1 &&
          size == ed25519_signature_bytes);
}

bool is_signed_ed25519(Bytes public_key, Bytes message, Bytes signature) {
  require_libcrypto();
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key.data(), public_key.size()), EVP_PKEY_free);
  const Context context = new_context();
  const bool is_right =
      key != nullptr && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(), message.size()) == 1;
  ERR_clear_error();
  return is_right;
}

}  // namespace phalanx
