// The digests that libcrypto has, by their names. The legacy provider's are among them.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

namespace phalanx {

struct DigestFree {
  void operator()(EVP_MD* digest) const;
};
using DigestHandle = std::unique_ptr<EVP_MD, DigestFree>;

struct DigestContextFree {
  void operator()(EVP_MD_CTX* context) const;
};
using DigestContextHandle = std::unique_ptr<EVP_MD_CTX, DigestContextFree>;

/// Holds a digest, and the library context that has it: nullptr is libcrypto's own.
struct Digest {
  DigestHandle handle;
  OSSL_LIB_CTX* context = nullptr;
};

/// Fetches a digest ("sha256", "md5", ...; case ignored). Throws Error: usage where libcrypto has none of this name, runtime
/// where it fails.
[[nodiscard]] Digest fetch_digest(const std::string& name);

/// Computes one digest after another. One thread at a time may use it.
class NamedDigest {
 public:
  /// Throws as fetch_digest does, and Error (usage) for a digest of no fixed size.
  explicit NamedDigest(const std::string& name);

  [[nodiscard]] std::size_t num_bytes() const { return num_bytes_; }

  /// Computes the digest of the parts, one behind the other. `out` has num_bytes() bytes and may be one of the parts. Throws
  /// Error (runtime).
  void compute(std::initializer_list<Bytes> parts, MutableBytes out) const;

  /// Begin a digest, take the next bytes of it, and end it. `out` has num_bytes() bytes. They throw Error (runtime).
  void begin() const;
  void update(Bytes bytes) const;
  void finish(MutableBytes out) const;

 private:
  Digest digest_;
  DigestContextHandle context_;
  std::size_t num_bytes_;
};

}  // namespace phalanx
