// libcrypto's objects of public keys, each freed by its owner.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <climits>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>

namespace phalanx {

struct LibcryptoFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_NAME* name) const { X509_NAME_free(name); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using KeyContextHandle = std::unique_ptr<EVP_PKEY_CTX, LibcryptoFree>;
using BioHandle = std::unique_ptr<BIO, LibcryptoFree>;

/// Returns a BIO that reads these bytes, which stay the caller's. Throws Error (runtime) where there is no memory.
[[nodiscard]] inline BioHandle bio_over(Bytes bytes) {
  if (bytes.size() > INT_MAX) throw Error(ErrorCode::usage, "a key or a certificate of 2 GiB or more is none");
  BioHandle bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  if (bio == nullptr) throw Error(ErrorCode::runtime, "libcrypto is out of memory");
  return bio;
}

}  // namespace phalanx
