#include "files/libcrypto/sha256.hpp"

#include <openssl/evp.h>

#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"
#include "engine/text/hex.hpp"

namespace phalanx {
namespace {

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute SHA-256");
}

}  // namespace

struct Sha256::State {
  // Freeing it wipes it: libcrypto clears what a digest has buffered.
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  require_libcrypto();
  require(state_->context && EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(Bytes in) { require(EVP_DigestUpdate(state_->context.get(), in.data(), in.size()) == 1); }

std::string Sha256::finish() { return encode_hex(finish_bytes()); }

Sha256Digest Sha256::finish_bytes() {
  Sha256Digest digest{};
  require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr) == 1);
  return digest;
}

}  // namespace phalanx
