#include "files/libcrypto/argon2.hpp"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <phalanx/error.hpp>
#include <string>

#include "engine/host/libcrypto.hpp"

namespace phalanx {
namespace {

// argon2.h of libargon2 has argon2_hash, its kinds, its version and its results.
using Argon2Hash = int (*)(std::uint32_t num_passes, std::uint32_t memory_kib, std::uint32_t num_lanes,
                           const void* passphrase, std::size_t passphrase_bytes, const void* salt, std::size_t salt_bytes,
                           void* out, std::size_t out_bytes, char* encoded, std::size_t encoded_bytes, int kind,
                           std::uint32_t version);
constexpr int kind_i = 1, kind_id = 2;
constexpr std::uint32_t version_1_3 = 0x13;
constexpr int is_derived = 0, has_no_memory = -22;

[[noreturn]] void throw_no_memory(const Argon2Cost& cost) {
  throw Error(ErrorCode::runtime, "Argon2 takes " + std::to_string(cost.memory_kib) + " KiB of memory, which are not there");
}

[[noreturn]] void throw_failure(const Argon2Cost& cost) {
  throw Error(ErrorCode::usage, "Argon2 has no such cost: " + std::to_string(cost.num_passes) + " passes, " +
                                    std::to_string(cost.memory_kib) + " KiB, " + std::to_string(cost.num_lanes) + " lanes");
}

struct LibraryClose {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, LibraryClose>;

bool derive_by_libargon2(Argon2Kind kind, Bytes passphrase, Bytes salt, const Argon2Cost& cost, MutableBytes out) {
  const Library library(loads_libraries ? dlopen("libargon2.so.1", RTLD_NOW | RTLD_LOCAL) : nullptr);
  if (library == nullptr) return false;
  const auto hash = reinterpret_cast<Argon2Hash>(dlsym(library.get(), "argon2_hash"));
  if (hash == nullptr) return false;
  const int result =
      hash(cost.num_passes, cost.memory_kib, cost.num_lanes, passphrase.data(), passphrase.size(), salt.data(), salt.size(),
           out.data(), out.size(), nullptr, 0, kind == Argon2Kind::i ? kind_i : kind_id, version_1_3);
  if (result == has_no_memory) throw_no_memory(cost);
  if (result != is_derived) throw_failure(cost);
  return true;
}

struct KdfFree {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
};
struct KdfContextFree {
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

// The names of some settings are newer than the oldest headers that we build with (EVP_KDF-ARGON2(7)). libcrypto computes
// all lanes on this thread, since "threads" is not set.
bool derive_by_libcrypto(Argon2Kind kind, Bytes passphrase, Bytes salt, Argon2Cost cost, MutableBytes out) {
  require_libcrypto();
  const std::unique_ptr<EVP_KDF, KdfFree> kdf(
      EVP_KDF_fetch(nullptr, kind == Argon2Kind::i ? "ARGON2I" : "ARGON2ID", nullptr));
  if (kdf == nullptr) return false;
  const std::unique_ptr<EVP_KDF_CTX, KdfContextFree> context(EVP_KDF_CTX_new(kdf.get()));
  const char* const text = passphrase.empty() ? "" : reinterpret_cast<const char*>(passphrase.data());
  std::uint32_t version = version_1_3;
  const OSSL_PARAM settings[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, const_cast<char*>(text), passphrase.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, const_cast<std::uint8_t*>(salt.data()), salt.size()),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &cost.num_passes),
      OSSL_PARAM_construct_uint32("memcost", &cost.memory_kib),
      OSSL_PARAM_construct_uint32("lanes", &cost.num_lanes),
      OSSL_PARAM_construct_uint32("version", &version),
      OSSL_PARAM_construct_end(),
  };
  if (context == nullptr || EVP_KDF_derive(context.get(), out.data(), out.size(), settings) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto failed to derive a key with Argon2, which takes " +
                                        std::to_string(cost.memory_kib) + " KiB of memory here");
  }
  return true;
}

}  // namespace

void derive_argon2(Argon2Kind kind, Bytes passphrase, Bytes salt, const Argon2Cost& cost, MutableBytes out) {
  constexpr std::size_t least_salt_bytes = 8;  // both libraries take no shorter one
  constexpr std::uint32_t least_blocks_of_lane = 8;
  const bool is_cost =
      cost.num_passes != 0 && cost.num_lanes != 0 && cost.memory_kib / least_blocks_of_lane >= cost.num_lanes;
  if (!is_cost || salt.size() < least_salt_bytes) throw_failure(cost);
  if (derive_by_libargon2(kind, passphrase, salt, cost, out) || derive_by_libcrypto(kind, passphrase, salt, cost, out))
    return;
  throw Error(ErrorCode::runtime,
              loads_libraries
                  ? "Argon2 needs libargon2.so.1, which is not there: install it (Debian's package libargon2-1)"
                  : "Argon2 needs libargon2.so.1, which this program, linked statically, does not load: take the "
                    "program of a package");
}

}  // namespace phalanx
