// X.509 certificates (RFC 5280), as far as they tell recipients of messages apart.
#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

namespace phalanx {

class Certificate {
 public:
  /// Takes libcrypto's object, whose count of references is the caller's to give up.
  explicit Certificate(std::shared_ptr<X509> certificate) : certificate_(std::move(certificate)) {}

  /// Returns whether the issuer's name, as DER has it, is that of the certificate, compared as RFC 5280, section 7.1, says,
  /// and `serial` is the content of its INTEGER.
  [[nodiscard]] bool is_issued(Bytes issuer, Bytes serial) const;
  /// Returns whether the certificate has this subject key identifier.
  [[nodiscard]] bool has_key_id(Bytes key_id) const;

  [[nodiscard]] X509* handle() const { return certificate_.get(); }

 private:
  std::shared_ptr<X509> certificate_;
};

/// Reads every certificate of a PEM file, or the one of a DER file. Throws Error (format) where there is none.
[[nodiscard]] std::vector<Certificate> read_certificates(Bytes content);

/// Reads those of a PEM file that may hold other things, too; none where it holds none.
[[nodiscard]] std::vector<Certificate> find_certificates(Bytes content);

/// Returns the text of a name in DER, as RFC 2253 writes it; in hex what is no name.
[[nodiscard]] std::string text_of_name(Bytes name);

}  // namespace phalanx
