#include "files/libcrypto/certificates.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>

#include "engine/host/libcrypto.hpp"
#include "engine/text/hex.hpp"
#include "files/libcrypto/handles.hpp"

namespace phalanx {
namespace {

using NameHandle = std::unique_ptr<X509_NAME, LibcryptoFree>;

NameHandle name_of(Bytes der) {
  require_libcrypto();
  const std::uint8_t* at = der.data();
  NameHandle name(d2i_X509_NAME(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  return at == der.data() + der.size() ? std::move(name) : nullptr;
}

std::shared_ptr<X509> shared(X509* certificate) { return {certificate, LibcryptoFree()}; }

// The content of an INTEGER is two's complement, which i2d writes behind its tag and its length.
std::vector<std::uint8_t> content_of(const ASN1_INTEGER* number) {
  std::uint8_t* encoded = nullptr;
  const int num_bytes = i2d_ASN1_INTEGER(number, &encoded);
  if (num_bytes < 0) return {};
  const std::uint8_t* at = encoded;
  long size = 0;
  int tag = 0, tag_class = 0;
  const bool is_read = (ASN1_get_object(&at, &size, &tag, &tag_class, num_bytes) & 0x80) == 0;
  std::vector<std::uint8_t> content(at, is_read ? at + size : at);
  OPENSSL_free(encoded);
  return content;
}

}  // namespace

bool Certificate::is_issued(Bytes issuer, Bytes serial) const {
  const NameHandle name = name_of(issuer);
  if (name == nullptr || X509_NAME_cmp(name.get(), X509_get_issuer_name(handle())) != 0) return false;
  return std::ranges::equal(content_of(X509_get0_serialNumber(handle())), serial);
}

bool Certificate::has_key_id(Bytes key_id) const {
  const ASN1_OCTET_STRING* const own = X509_get0_subject_key_id(handle());
  return own != nullptr &&
         std::ranges::equal(Bytes(ASN1_STRING_get0_data(own), static_cast<std::size_t>(ASN1_STRING_length(own))), key_id);
}

std::vector<Certificate> find_certificates(Bytes content) {
  require_libcrypto();
  const BioHandle bio = bio_over(content);
  std::vector<Certificate> found;
  while (X509* const certificate = PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr))
    found.emplace_back(shared(certificate));
  ERR_clear_error();
  return found;
}

std::vector<Certificate> read_certificates(Bytes content) {
  std::vector<Certificate> found = find_certificates(content);
  if (!found.empty()) return found;
  const BioHandle bio = bio_over(content);
  X509* const certificate = d2i_X509_bio(bio.get(), nullptr);
  ERR_clear_error();
  if (certificate == nullptr) throw Error(ErrorCode::format, "no X.509 certificate is in it, neither in PEM nor in DER");
  found.emplace_back(shared(certificate));
  return found;
}

std::string text_of_name(Bytes der) {
  const NameHandle name = name_of(der);
  const BioHandle text(BIO_new(BIO_s_mem()));
  const bool is_printed =
      name != nullptr && text != nullptr && X509_NAME_print_ex(text.get(), name.get(), 0, XN_FLAG_RFC2253) >= 0;
  char* characters = nullptr;
  const long num_characters = is_printed ? BIO_get_mem_data(text.get(), &characters) : 0;
  ERR_clear_error();
  return is_printed ? std::string(characters, static_cast<std::size_t>(num_characters)) : encode_hex(der);
}

}  // namespace phalanx
