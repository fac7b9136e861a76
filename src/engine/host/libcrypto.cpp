#include "engine/host/libcrypto.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>

#include <phalanx/error.hpp>

namespace phalanx {

void require_libcrypto() {
  // Makes this thread's record of errors. OpenSSL 3.6 would make it when memory fails: by memory, whose failure it reports,
  // without end.
  static_cast<void>(ERR_peek_error());
  // The system's configuration may name modules, which would be loaded.
  if constexpr (!loads_libraries) OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  if (OSSL_LIB_CTX_get0_global_default() != nullptr) return;
  throw Error(ErrorCode::runtime, "libcrypto could not be set up; is there memory left?");
}

}  // namespace phalanx
