#include "files/libcrypto/key_transport.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include <algorithm>

#include "engine/host/host.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "files/libcrypto/handles.hpp"

namespace phalanx {
namespace {

// libcrypto's arithmetic may leave parts of what it found in so much of the stack.
constexpr std::size_t arithmetic_stack_bytes = 16384;

using KeyHandle = std::unique_ptr<EVP_PKEY, LibcryptoFree>;

KeyContextHandle context_of(const PrivateKey& key) {
  KeyContextHandle context(EVP_PKEY_CTX_new_from_pkey(key.context(), key.handle(), nullptr));
  if (context == nullptr) throw Error(ErrorCode::runtime, "libcrypto could not take up the private key");
  return context;
}

// libcrypto 3.2 has implicit rejection, and it is on unless a configuration says otherwise. Earlier ones pass over the name.
void reject_implicitly(EVP_PKEY_CTX* context) {
  unsigned is_on = 1;
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint("implicit-rejection", &is_on), OSSL_PARAM_construct_end()};
  if (EVP_PKEY_CTX_set_params(context, parameters) <= 0) ERR_clear_error();
}

void require_set(bool is_set) {
  if (is_set) return;
  ERR_clear_error();
  throw Error(ErrorCode::runtime, "libcrypto could not set up RSA");
}

// All ones or all zeros: arithmetic, so that no branch depends on it. The values are below 2^31.
std::uint8_t mask_if_equal(std::uint32_t left, std::uint32_t right) {
  return static_cast<std::uint8_t>(0U - (((left ^ right) - 1U) >> 31));
}

KeyHandle public_key_beside(const PrivateKey& own, Bytes public_key) {
  if (own.kind() == PrivateKey::Kind::x25519) {
    return KeyHandle(EVP_PKEY_new_raw_public_key_ex(own.context(), "X25519", nullptr, public_key.data(), public_key.size()));
  }
  KeyHandle peer(EVP_PKEY_new());
  const bool is_set = peer != nullptr && EVP_PKEY_copy_parameters(peer.get(), own.handle()) == 1 &&
                      EVP_PKEY_set1_encoded_public_key(peer.get(), public_key.data(), public_key.size()) == 1;
  return is_set ? std::move(peer) : nullptr;
}

std::optional<SecretBytes> derive(EVP_PKEY_CTX* context) {
  std::size_t num_bytes = 0;
  if (EVP_PKEY_derive(context, nullptr, &num_bytes) != 1) return std::nullopt;
  SecretBytes secret(num_bytes);
  if (EVP_PKEY_derive(context, secret.data(), &num_bytes) != 1) return std::nullopt;
  secret.shrink(num_bytes);
  return secret;
}

std::optional<SecretBytes> agree(const PrivateKey& key, Bytes public_key, bool with_cofactor) {
  const KeyHandle peer = public_key_beside(key, public_key);
  const KeyContextHandle context = context_of(key);
  const int cofactor_mode = with_cofactor ? 1 : 0;
  const bool is_set =
      peer != nullptr && EVP_PKEY_derive_init(context.get()) == 1 &&
      (key.kind() == PrivateKey::Kind::x25519 || EVP_PKEY_CTX_set_ecdh_cofactor_mode(context.get(), cofactor_mode) == 1) &&
      EVP_PKEY_derive_set_peer(context.get(), peer.get()) == 1;
  return is_set ? derive(context.get()) : std::nullopt;
}

}  // namespace

TransportedKey decrypt_rsa_pkcs1(const PrivateKey& key, Bytes encrypted, std::size_t key_bytes) {
  const KeyContextHandle context = context_of(key);
  require_set(EVP_PKEY_decrypt_init(context.get()) == 1 &&
              EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) == 1);
  reject_implicitly(context.get());
  TransportedKey transported{.key = SecretBytes(key_bytes)};
  fill_random(transported.key);
  SecretBytes plain(std::max(key.num_bytes(), key_bytes));
  std::size_t num_bytes = plain.size();
  int status = 0;
  call_then_wipe_stack<arithmetic_stack_bytes>(
      [&] { status = EVP_PKEY_decrypt(context.get(), plain.data(), &num_bytes, encrypted.data(), encrypted.size()); });
  ERR_clear_error();
  const auto found_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(num_bytes, 0x7fffffff));
  const auto wanted_bytes = static_cast<std::uint32_t>(key_bytes);
  const std::uint8_t fits = mask_if_equal(static_cast<std::uint32_t>(status), 1) & mask_if_equal(found_bytes, wanted_bytes);
  for (std::size_t i = 0; i < key_bytes; ++i)
    transported.key.data()[i] = static_cast<std::uint8_t>((plain.data()[i] & fits) | (transported.key.data()[i] & ~fits));
  transported.fits = fits != 0;
  return transported;
}

std::optional<SecretBytes> decrypt_rsa_oaep(const PrivateKey& key, const OaepParameters& parameters, Bytes encrypted) {
  const KeyContextHandle context = context_of(key);
  require_set(EVP_PKEY_decrypt_init(context.get()) == 1 &&
              EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_oaep_md_name(context.get(), parameters.digest.c_str(), nullptr) == 1 &&
              EVP_PKEY_CTX_set_rsa_mgf1_md_name(context.get(), parameters.mask_digest.c_str(), nullptr) == 1);
  if (!parameters.label.empty()) {
    void* const label = OPENSSL_memdup(parameters.label.data(), parameters.label.size());
    const bool is_set = label != nullptr && EVP_PKEY_CTX_set0_rsa_oaep_label(context.get(), label,
                                                                             static_cast<int>(parameters.label.size())) == 1;
    if (!is_set) OPENSSL_free(label);
    require_set(is_set);
  }
  SecretBytes plain(key.num_bytes());
  std::size_t num_bytes = plain.size();
  int status = 0;
  call_then_wipe_stack<arithmetic_stack_bytes>(
      [&] { status = EVP_PKEY_decrypt(context.get(), plain.data(), &num_bytes, encrypted.data(), encrypted.size()); });
  ERR_clear_error();
  if (status != 1) return std::nullopt;
  plain.shrink(num_bytes);
  return plain;
}

std::optional<SecretBytes> agree_on_secret(const PrivateKey& key, Bytes public_key, bool with_cofactor) {
  std::optional<SecretBytes> secret;
  call_then_wipe_stack<arithmetic_stack_bytes>([&] { secret = agree(key, public_key, with_cofactor); });
  ERR_clear_error();
  return secret;
}

}  // namespace phalanx
