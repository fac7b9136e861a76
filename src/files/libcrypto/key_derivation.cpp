#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <phalanx/files/key_derivation.hpp>

#include "engine/host/libcrypto.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

// OpenSSL 3.5's scrypt leaves what it derived on the stack; others may.
constexpr std::size_t derivation_stack_bytes = 16384;

struct KdfFree {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
};
struct KdfContextFree {
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

// This is PKCS5_PBKDF2_HMAC for any library context that has the digest: that function knows libcrypto's own alone.
bool run_pbkdf2(const Digest& digest, Bytes passphrase, Bytes salt, int num_iterations, MutableBytes out) {
  // libcrypto reads a null pointer as "no passphrase", which some versions refuse; an empty one is allowed.
  const char* const text = passphrase.empty() ? "" : reinterpret_cast<const char*>(passphrase.data());
  const std::unique_ptr<EVP_KDF, KdfFree> kdf(EVP_KDF_fetch(digest.context, "PBKDF2", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, KdfContextFree> context(EVP_KDF_CTX_new(kdf.get()));
  int has_no_least_sizes = 1;
  std::string name = EVP_MD_get0_name(digest.handle.get());
  const OSSL_PARAM settings[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, const_cast<char*>(text), passphrase.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, const_cast<std::uint8_t*>(salt.data()), salt.size()),
      OSSL_PARAM_construct_int(OSSL_KDF_PARAM_ITER, &num_iterations),
      OSSL_PARAM_construct_int(OSSL_KDF_PARAM_PKCS5, &has_no_least_sizes),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, name.data(), 0),
      OSSL_PARAM_construct_end(),
  };
  return context != nullptr && EVP_KDF_derive(context.get(), out.data(), out.size(), settings) == 1;
}

// One D_i: digest(previous || passphrase || salt) into `previous`, which grows from nothing to the digest's size.
void next_digest(EVP_MD_CTX* context, const EVP_MD* digest, Bytes passphrase, Bytes salt, SecretBytes& previous) {
  const bool done = EVP_DigestInit_ex2(context, digest, nullptr) == 1 &&
                    EVP_DigestUpdate(context, previous.data(), previous.size()) == 1 &&
                    EVP_DigestUpdate(context, passphrase.data(), passphrase.size()) == 1 &&
                    EVP_DigestUpdate(context, salt.data(), salt.size()) == 1;
  if (previous.size() == 0) previous = SecretBytes(static_cast<std::size_t>(EVP_MD_get_size(digest)));
  if (!done || EVP_DigestFinal_ex(context, previous.data(), nullptr) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto failed to compute the digest of a passphrase");
  }
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

void require_digest(const std::string& digest) { static_cast<void>(fetch_digest(digest)); }

void derive_bytes_to_key(const std::string& digest, Bytes passphrase, Bytes salt, MutableBytes out) {
  const Digest fetched = fetch_digest(digest);
  const DigestContextHandle context(EVP_MD_CTX_new());
  if (context == nullptr) throw Error(ErrorCode::runtime, "libcrypto is out of memory");
  SecretBytes current(0);
  while (!out.empty()) {
    call_then_wipe_stack<derivation_stack_bytes>(
        [&] { next_digest(context.get(), fetched.handle.get(), passphrase, salt, current); });
    const std::size_t taken = std::min(out.size(), current.size());
    std::copy_n(current.data(), taken, out.begin());
    out = out.subspan(taken);
  }
}

void derive_pbkdf2(const std::string& digest, Bytes passphrase, Bytes salt, int num_iterations, MutableBytes out) {
  if (num_iterations < 1) throw Error(ErrorCode::usage, "PBKDF2 needs at least 1 iteration; the default is 10000");
  if (passphrase.size() > INT_MAX || salt.size() > INT_MAX || out.size() > INT_MAX) {
    throw Error(ErrorCode::usage, "a passphrase, salt or key of 2 GiB or more does not fit PBKDF2");
  }
  const Digest fetched = fetch_digest(digest);
  bool is_derived = false;
  call_then_wipe_stack<derivation_stack_bytes>(
      [&] { is_derived = run_pbkdf2(fetched, passphrase, salt, num_iterations, out); });
  if (!is_derived) {
    throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with PBKDF2 and digest '" + digest + "'");
  }
}

void derive_scrypt(Bytes passphrase, Bytes salt, unsigned log2_n, std::uint32_t r, std::uint32_t p, MutableBytes out) {
  if (log2_n < 1 || log2_n > 63 || log2_n >= std::uint64_t{16} * r || r == 0 || p == 0) {
    throw Error(ErrorCode::usage, "scrypt has no such cost: N = 2^" + std::to_string(log2_n) + ", r = " + std::to_string(r) +
                                      ", p = " + std::to_string(p) + "; usual is N = 2^17, r = 8, p = 1");
  }
  require_libcrypto();
  // libcrypto limits its memory to 32 MiB unless it is told. It allocates V, B and two blocks. A page more is for
  // whatever it may add.
  const std::uint64_t num_blocks = (std::uint64_t{1} << log2_n) + p + 2;
  const std::uint64_t memory = num_blocks * 128 * r + 4096;
  const auto* text = reinterpret_cast<const char*>(passphrase.data());
  int status = 0;
  call_then_wipe_stack<derivation_stack_bytes>([&] {
    status = EVP_PBE_scrypt(passphrase.empty() ? "" : text, passphrase.size(), salt.data(), salt.size(),
                            std::uint64_t{1} << log2_n, r, p, memory, out.data(), out.size());
  });
  if (status != 1) {
    throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with scrypt, which takes " +
                                        std::to_string(memory >> 20) + " MiB of memory here");
  }
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
