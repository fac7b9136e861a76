#include "libcrypto/libcrypto.hpp"

#include <openssl/crypto.h>

#include <phalanx/error.hpp>

namespace phalanx {

void require_libcrypto() {
  if (OSSL_LIB_CTX_get0_global_default() != nullptr) return;
  throw Error(ErrorCode::runtime, "libcrypto could not be set up; is there memory left?");
}

}  // namespace phalanx
