#include "files/libcrypto/cmac.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <phalanx/error.hpp>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {
namespace {

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute CMAC with AES-256");
}

}  // namespace

struct CmacKey::State {
  std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context{nullptr, EVP_MAC_CTX_free};
};

CmacKey::CmacKey(Bytes key) : state_(std::make_unique<State>()) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> algorithm{EVP_MAC_fetch(nullptr, "CMAC", nullptr), EVP_MAC_free};
  if (algorithm != nullptr) state_->context.reset(EVP_MAC_CTX_new(algorithm.get()));
  require(state_->context != nullptr && key.size() == cmac_key_bytes);
  char cipher[] = "AES-256-CBC";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
                                   OSSL_PARAM_construct_end()};
  require(EVP_MAC_init(state_->context.get(), key.data(), key.size(), parameters) == 1);
}

CmacKey::~CmacKey() = default;
CmacKey::CmacKey(CmacKey&&) noexcept = default;
CmacKey& CmacKey::operator=(CmacKey&&) noexcept = default;

Cmac CmacKey::compute(std::uint64_t chunk, Bytes tag) const {
  EVP_MAC_CTX* context = state_->context.get();
  std::uint8_t number[8];
  store_u64(number, chunk);
  Cmac mac{};
  std::size_t size = 0;
  require(EVP_MAC_init(context, nullptr, 0, nullptr) == 1 && EVP_MAC_update(context, number, sizeof number) == 1 &&
          EVP_MAC_update(context, tag.data(), tag.size()) == 1 &&
          EVP_MAC_final(context, mac.data(), &size, mac.size()) == 1 && size == mac.size());
  return mac;
}

}  // namespace phalanx
