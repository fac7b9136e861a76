#include "files/libcrypto/legacy_provider.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include <mutex>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"

namespace phalanx {
namespace {

// The default provider is loaded beside it: PBKDF2 is there, and it takes a digest of the legacy one.
OSSL_LIB_CTX* load_legacy() {
  if constexpr (!loads_libraries) return nullptr;
  OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
  if (context == nullptr) return nullptr;
  const bool is_loaded =
      OSSL_PROVIDER_load(context, "legacy") != nullptr && OSSL_PROVIDER_load(context, "default") != nullptr;
  if (is_loaded) return context;
  ERR_clear_error();
  OSSL_LIB_CTX_free(context);
  return nullptr;
}

}  // namespace

// It is never freed, since libcrypto frees itself at the process's end. One that could not be loaded is tried again.
OSSL_LIB_CTX* legacy_context(const std::string& what) {
  static std::mutex mutex;
  static OSSL_LIB_CTX* context = nullptr;
  require_libcrypto();
  const std::lock_guard lock(mutex);
  if (context == nullptr) context = load_legacy();
  if (context != nullptr) return context;
  const char* const advice = loads_libraries
                                 ? ": install libssl3 (Debian 12) or openssl-provider-legacy (Debian 13), which have "
                                   "legacy.so, and look at OPENSSL_MODULES"
                                 : ", since this program is linked statically: take the program of a package";
  throw Error(ErrorCode::runtime, what + " is in OpenSSL's legacy provider, which cannot be loaded here" + advice);
}

}  // namespace phalanx
