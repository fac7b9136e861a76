#include "files/libcrypto/private_keys.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>

#include "engine/host/libcrypto.hpp"
#include "files/libcrypto/handles.hpp"
#include "files/libcrypto/legacy_provider.hpp"

namespace phalanx {
namespace {

constexpr const char* is_not_opened = "the private key is not opened by this passphrase, or is damaged";
constexpr const char* is_no_key = "no private key is in it: PEM, DER and PKCS #12 are read";

std::shared_ptr<EVP_PKEY> shared(EVP_PKEY* key) { return {key, LibcryptoFree()}; }

// libcrypto asks for a passphrase in the middle of C functions, which no exception may cross.
struct Question {
  const AskPassphrase& ask;
  bool is_asked = false;
  std::exception_ptr failure{};
};

int answer(char* buffer, int num_bytes, int /*is_writing*/, void* given) {
  auto& question = *static_cast<Question*>(given);
  question.is_asked = true;
  try {
    const SecretBytes passphrase = question.ask();
    if (passphrase.size() > static_cast<std::size_t>(num_bytes))
      throw Error(ErrorCode::usage, "a private key's passphrase has at most " + std::to_string(num_bytes) + " bytes");
    std::ranges::copy(passphrase, buffer);
    return static_cast<int>(passphrase.size());
  } catch (...) {
    question.failure = std::current_exception();
    return -1;
  }
}

std::shared_ptr<EVP_PKEY> read_pem_or_der(Bytes content, Question& question, bool is_pem) {
  const BioHandle bio = bio_over(content);
  if (is_pem) return shared(PEM_read_bio_PrivateKey(bio.get(), nullptr, answer, &question));
  if (EVP_PKEY* const key = d2i_PrivateKey_bio(bio.get(), nullptr)) return shared(key);
  const BioHandle again = bio_over(content);
  return shared(d2i_PKCS8PrivateKey_bio(again.get(), nullptr, answer, &question));
}

KeyWithCertificate read_plain_form(Bytes content, const AskPassphrase& ask, bool is_pem) {
  Question question{ask};
  std::shared_ptr<EVP_PKEY> key = read_pem_or_der(content, question, is_pem);
  ERR_clear_error();
  if (question.failure) std::rethrow_exception(question.failure);
  if (key == nullptr && question.is_asked) throw Error(ErrorCode::wrong_key, is_not_opened);
  if (key == nullptr) throw Error(ErrorCode::format, is_no_key);
  KeyWithCertificate found{.key = PrivateKey(std::move(key), nullptr), .certificate = {}};
  if (!is_pem) return found;
  for (const Certificate& certificate : find_certificates(content)) {
    if (!found.certificate && found.key.is_of(certificate)) found.certificate = certificate;
  }
  return found;
}

struct StoreFree {
  void operator()(PKCS12* store) const { PKCS12_free(store); }
};
using StoreHandle = std::unique_ptr<PKCS12, StoreFree>;

// Old stores have their certificates under RC2 with 40 bits, which the legacy provider has.
StoreHandle read_store(Bytes content, OSSL_LIB_CTX* context) {
  PKCS12* store = PKCS12_init_ex(NID_pkcs7_data, context, nullptr);
  const std::uint8_t* at = content.data();
  if (store == nullptr || d2i_PKCS12(&store, &at, static_cast<long>(content.size())) == nullptr) return nullptr;
  return StoreHandle(store);
}

std::optional<KeyWithCertificate> open_store(Bytes content, const char* passphrase, OSSL_LIB_CTX* context) {
  const StoreHandle store = read_store(content, context);
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  const bool is_open = store != nullptr && PKCS12_parse(store.get(), passphrase, &key, &certificate, nullptr) == 1;
  ERR_clear_error();
  std::shared_ptr<X509> owned(certificate, LibcryptoFree());
  if (!is_open) return std::nullopt;
  if (key == nullptr) throw Error(ErrorCode::format, "no private key is in this PKCS #12 store, but certificates alone");
  KeyWithCertificate found{.key = PrivateKey(shared(key), context), .certificate = {}};
  if (owned != nullptr) found.certificate.emplace(std::move(owned));
  return found;
}

KeyWithCertificate read_pkcs12(Bytes content, const AskPassphrase& ask) {
  const StoreHandle store = read_store(content, nullptr);
  const bool has_none = PKCS12_verify_mac(store.get(), nullptr, 0) == 1 || PKCS12_verify_mac(store.get(), "", 0) == 1;
  ERR_clear_error();
  SecretBytes text(1);  // which ends with a zero
  if (!has_none) {
    const SecretBytes passphrase = ask();
    text = SecretBytes(passphrase.size() + 1);
    std::ranges::copy(passphrase, text.begin());
  }
  const char* const passphrase = reinterpret_cast<const char*>(text.data());
  std::optional<KeyWithCertificate> found = open_store(content, passphrase, nullptr);
  if (!found && PKCS12_mac_present(store.get()) == 1 && PKCS12_verify_mac(store.get(), passphrase, -1) == 1)
    found = open_store(content, passphrase, legacy_context("a cipher of this PKCS #12 store"));
  ERR_clear_error();
  if (!found) throw Error(ErrorCode::wrong_key, is_not_opened);
  return *std::move(found);
}

bool has_pem(Bytes content) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  return text.find("-----BEGIN ") != text.npos;
}

}  // namespace

PrivateKey::Kind PrivateKey::kind() const {
  if (EVP_PKEY_is_a(handle(), "RSA") == 1) return Kind::rsa;
  if (EVP_PKEY_is_a(handle(), "EC") == 1) return Kind::elliptic;
  return EVP_PKEY_is_a(handle(), "X25519") == 1 ? Kind::x25519 : Kind::other;
}

std::size_t PrivateKey::num_bytes() const { return static_cast<std::size_t>(std::max(0, EVP_PKEY_get_size(handle()))); }

bool PrivateKey::is_of(const Certificate& certificate) const {
  const bool fits = X509_check_private_key(certificate.handle(), handle()) == 1;
  ERR_clear_error();
  return fits;
}

KeyWithCertificate read_private_key(Bytes content, const AskPassphrase& ask) {
  require_libcrypto();
  if (has_pem(content)) return read_plain_form(content, ask, true);
  const bool is_store = read_store(content, nullptr) != nullptr;
  ERR_clear_error();
  return is_store ? read_pkcs12(content, ask) : read_plain_form(content, ask, false);
}

}  // namespace phalanx
