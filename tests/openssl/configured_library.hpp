// A library context that an openssl.cnf has set up.
#pragma once

#include <openssl/conf.h>

#include <filesystem>
#include <fstream>

#include "provider_fixture.hpp"

namespace phalanx {

class ConfiguredLibrary {
 public:
  /// `settings` are lines of the provider's section, and `preference` the properties that are asked for by default.
  explicit ConfiguredLibrary(const std::string& settings, const std::string& preference = "")
      : library_(OSSL_LIB_CTX_new()), file_(testing::TempDir() + "phalanx_provider_" + std::to_string(getpid()) + ".cnf") {
    std::ofstream(file_) << "openssl_conf = init\n[init]\nproviders = providers\nalg_section = algorithms\n"
                         << "[providers]\ndefault = default_section\nphalanx = phalanx_section\n"
                         << "[default_section]\nactivate = 1\n"
                         << "[phalanx_section]\nactivate = 1\nmodule = " << PHALANX_PROVIDER_FOLDER << "/phalanx.so\n"
                         << settings << "\n[algorithms]\n"
                         << (preference.empty() ? "" : "default_properties = " + preference) << "\n";
    is_set_up_ = OSSL_LIB_CTX_load_config(library(), file_.c_str()) == 1;
  }
  ~ConfiguredLibrary() { std::filesystem::remove(file_); }
  ConfiguredLibrary(const ConfiguredLibrary&) = delete;
  ConfiguredLibrary& operator=(const ConfiguredLibrary&) = delete;

  [[nodiscard]] OSSL_LIB_CTX* library() const { return library_.get(); }
  [[nodiscard]] bool is_set_up() const { return is_set_up_; }
  [[nodiscard]] CipherPointer fetch(const char* name, const char* properties = nullptr) const {
    CipherPointer cipher(EVP_CIPHER_fetch(library(), name, properties));
    ERR_clear_error();
    return cipher;
  }

 private:
  LibraryPointer library_;
  std::string file_;
  bool is_set_up_ = false;
};

inline std::string provider_of(const CipherPointer& cipher) {
  return cipher == nullptr ? "" : OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher.get()));
}

/// A message in one update; nothing where a call fails.
inline ByteVector crypted(const EVP_CIPHER* cipher, const ByteVector& key, const ByteVector& iv, const ByteVector& in,
                          int encrypts) {
  const ContextPointer context(EVP_CIPHER_CTX_new());
  ByteVector out(in.size() + 32);
  int written = 0, rest = 0;
  if (EVP_CipherInit_ex2(context.get(), cipher, key.data(), iv.data(), encrypts, nullptr) != 1 ||
      EVP_CipherUpdate(context.get(), out.data(), &written, in.data(), static_cast<int>(in.size())) != 1 ||
      EVP_CipherFinal_ex(context.get(), out.data() + written, &rest) != 1) {
    return {};
  }
  out.resize(static_cast<std::size_t>(written + rest));
  return out;
}

}  // namespace phalanx
