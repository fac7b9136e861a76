#include "files/libcrypto/chacha20_poly1305.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

constexpr std::size_t cipher_stack_bytes = 8192;
constexpr std::array<std::uint8_t, 12> zero_nonce{};

struct ContextFree {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }  // which wipes it
};
using ContextHandle = std::unique_ptr<EVP_CIPHER_CTX, ContextFree>;

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute ChaCha20-Poly1305");
}

ContextHandle begin(Bytes key, int encrypts) {
  require_libcrypto();
  require(key.size() == chacha20_poly1305_key_bytes);
  ContextHandle context(EVP_CIPHER_CTX_new());
  require(context != nullptr &&
          EVP_CipherInit_ex(context.get(), EVP_chacha20_poly1305(), nullptr, key.data(), zero_nonce.data(), encrypts) == 1);
  return context;
}

}  // namespace

std::vector<std::uint8_t> seal_once_chacha20_poly1305(Bytes key, Bytes plain) {
  std::vector<std::uint8_t> sealed(plain.size() + chacha20_poly1305_tag_bytes);
  call_then_wipe_stack<cipher_stack_bytes>([&] {
    const ContextHandle context = begin(key, 1);
    int size = 0, rest = 0;
    require(EVP_CipherUpdate(context.get(), sealed.data(), &size, plain.data(), static_cast<int>(plain.size())) == 1 &&
            EVP_CipherFinal_ex(context.get(), sealed.data() + size, &rest) == 1 &&
            EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, chacha20_poly1305_tag_bytes,
                                sealed.data() + plain.size()) == 1);
  });
  return sealed;
}

std::optional<SecretBytes> open_once_chacha20_poly1305(Bytes key, Bytes sealed) {
  if (sealed.size() < chacha20_poly1305_tag_bytes) return std::nullopt;
  const std::size_t plain_bytes = sealed.size() - chacha20_poly1305_tag_bytes;
  std::array<std::uint8_t, chacha20_poly1305_tag_bytes> tag{};
  std::copy_n(sealed.begin() + static_cast<std::ptrdiff_t>(plain_bytes), tag.size(), tag.begin());
  SecretBytes plain(plain_bytes);
  bool authentic = false;
  call_then_wipe_stack<cipher_stack_bytes>([&] {
    const ContextHandle context = begin(key, 0);
    int size = 0, rest = 0;
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()), tag.data()) == 1 &&
            EVP_CipherUpdate(context.get(), plain.data(), &size, sealed.data(), static_cast<int>(plain_bytes)) == 1);
    authentic = EVP_CipherFinal_ex(context.get(), plain.data() + size, &rest) == 1;
  });
  if (authentic) return plain;
  ERR_clear_error();
  return std::nullopt;
}

}  // namespace phalanx
