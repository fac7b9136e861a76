// A library context of libcrypto with the providers default, legacy and phalanx, and its objects as C++ has them.
#pragma once

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace phalanx {

using ByteVector = std::vector<std::uint8_t>;

struct FreeOpenssl {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  void operator()(OSSL_LIB_CTX* library) const { OSSL_LIB_CTX_free(library); }
};
using CipherPointer = std::unique_ptr<EVP_CIPHER, FreeOpenssl>;
using ContextPointer = std::unique_ptr<EVP_CIPHER_CTX, FreeOpenssl>;
using LibraryPointer = std::unique_ptr<OSSL_LIB_CTX, FreeOpenssl>;

/// Loads the provider that the build has made. Another place than the default one is looked at from here on.
inline OSSL_PROVIDER* load_phalanx(OSSL_LIB_CTX* library) {
  OSSL_PROVIDER_set_default_search_path(library, PHALANX_PROVIDER_FOLDER);
  return OSSL_PROVIDER_load(library, "phalanx");
}

class ThreeProviders {
 public:
  ThreeProviders() : library_(OSSL_LIB_CTX_new()) {
    loaded_.push_back(OSSL_PROVIDER_load(library_.get(), "default"));
    loaded_.push_back(OSSL_PROVIDER_load(library_.get(), "legacy"));
    loaded_.push_back(load_phalanx(library_.get()));
    for (const OSSL_PROVIDER* provider : loaded_) EXPECT_NE(provider, nullptr);
  }
  ~ThreeProviders() {
    for (OSSL_PROVIDER* provider : loaded_) OSSL_PROVIDER_unload(provider);
  }
  ThreeProviders(const ThreeProviders&) = delete;
  ThreeProviders& operator=(const ThreeProviders&) = delete;

  [[nodiscard]] OSSL_LIB_CTX* library() const { return library_.get(); }
  [[nodiscard]] CipherPointer ours(const char* name) const {
    return CipherPointer(EVP_CIPHER_fetch(library(), name, "provider=phalanx"));
  }
  /// The same of the default or the legacy provider; nullptr where neither has it.
  [[nodiscard]] CipherPointer theirs(const char* name) const {
    CipherPointer cipher(EVP_CIPHER_fetch(library(), name, "provider=default"));
    if (cipher == nullptr) cipher.reset(EVP_CIPHER_fetch(library(), name, "provider=legacy"));
    ERR_clear_error();
    return cipher;
  }
  /// All names of ours, in the provider's order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    const auto add = [](EVP_CIPHER* cipher, void* names) {
      if (std::string(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher))) != "phalanx") return;
      static_cast<std::vector<std::string>*>(names)->emplace_back(EVP_CIPHER_get0_name(cipher));
    };
    EVP_CIPHER_do_all_provided(library(), add, &found);
    return found;
  }

 private:
  LibraryPointer library_;
  std::vector<OSSL_PROVIDER*> loaded_;
};

}  // namespace phalanx
